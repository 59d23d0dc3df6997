//! The one vocabulary that source, assembly, wasm and sentences are rendered into: plain English words, in fields.
//!
//! A construct is a [`Concept`]; the table below has the words that people use for it and the field that they are in.
//! A renderer adds concepts, never words of its own, except for items without a table: literals, names, library
//! functions.

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident: $word:literal;)*) => {
        /// The part of a function that a word speaks of. Retrieval weighs each field by itself.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Field {
            $($(#[$doc])* $name,)*
        }

        impl Field {
            /// All fields, in the order of their numbers.
            pub const ALL: &[Field] = &[$(Field::$name,)*];

            /// The name in explanations and options.
            pub fn name(self) -> &'static str {
                match self { $(Field::$name => $word,)* }
            }
        }
    };
}

fields! {
    /// The types that go in and out, as words.
    Types: "types";
    /// Arithmetic, comparisons, bits, memory.
    Operators: "operators";
    /// Loops, branches, calls, recursion.
    Flow: "flow";
    /// The values that are returned: a constant, a parameter, a member, a comparison.
    Results: "results";
    /// Numbers and characters.
    Literals: "literals";
    /// Words inside of string literals.
    Strings: "strings";
    /// The words of the documentation of called library functions.
    Calls: "calls";
    /// Idioms that several constructs form: swapping, clamping, hashing.
    Idioms: "idioms";
    /// Words of names.
    Names: "names";
    /// The flow of data: parameters that are read, written, returned, indexed.
    Data: "data";
}

macro_rules! concepts {
    ($($(#[$doc:meta])* $name:ident in $field:ident: $words:literal;)*) => {
        /// A construct that every form of code has.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Concept {
            $($(#[$doc])* $name,)*
        }

        impl Concept {
            /// All concepts.
            pub const ALL: &[Concept] = &[$(Concept::$name,)*];

            /// The field that its words are in.
            pub fn field(self) -> Field {
                match self { $(Concept::$name => Field::$field,)* }
            }

            /// The words that people use for it.
            pub fn words(self) -> &'static str {
                match self { $(Concept::$name => $words,)* }
            }
        }
    };
}

concepts! {
    /// `==`
    Equal in Operators: "equal equality compare comparison match same check whether";
    /// `!=`
    NotEqual in Operators: "not equal differ different compare comparison check whether";
    /// `<`, `<=`
    Less in Operators: "less smaller below compare comparison within bound check";
    /// `>`, `>=`
    Greater in Operators: "greater larger exceed above compare comparison bound check";
    /// `+`
    Add in Operators: "add addition sum plus";
    /// `-`
    Subtract in Operators: "subtract subtraction difference minus";
    /// `*` of two values
    Multiply in Operators: "multiply multiplication product scale times";
    /// `/`
    Divide in Operators: "divide division quotient ratio";
    /// `%`
    Remainder in Operators: "modulo remainder modulus divisible division";
    /// unary `-`
    Negate in Operators: "negate negative negation sign";
    /// `++`, `+= 1`
    Increment in Operators: "increment advance count";
    /// `--`, `-= 1`
    Decrement in Operators: "decrement decrease backward";
    /// `&` of two values
    BitAnd in Operators: "bitwise and mask bit masking extract";
    /// `|`
    BitOr in Operators: "bitwise or combine bit set flag";
    /// `^`
    BitXor in Operators: "bitwise xor exclusive or bit";
    /// `~`
    BitNot in Operators: "bitwise complement not invert bit clear";
    /// `<<` of a number
    ShiftLeft in Operators: "shift left bit shifting bitwise";
    /// `>>` of a number
    ShiftRight in Operators: "shift right bit shifting bitwise";
    /// `&&`
    LogicalAnd in Operators: "both and logical condition";
    /// `||`
    LogicalOr in Operators: "either or any logical condition";
    /// `!`
    LogicalNot in Operators: "not negation logical inverse opposite";
    /// A value is stored through a pointer or reference.
    Store in Operators: "assign store set write update modify";
    /// A value is read through a pointer.
    Load in Operators: "dereference pointed read";
    /// The address of something is taken.
    AddressOf in Operators: "address pointer";
    /// An element is read or written by its index.
    Index in Operators: "index element array access position";
    /// A member of a structure is read or written.
    Member in Operators: "member field structure access property";
    /// A value becomes one of another type.
    Cast in Operators: "cast convert conversion type";
    /// An integer becomes a floating-point number, or the other way round.
    ConvertFloat in Operators: "convert conversion float floating double integer";
    /// The size of a type or value.
    SizeOf in Operators: "size byte sizeof";
    /// Arithmetic on floating-point numbers.
    FloatArithmetic in Operators: "floating point float double";
    /// Memory is reserved by an operator.
    New in Operators: "allocate new memory create dynamic";
    /// Memory is freed by an operator.
    Delete in Operators: "free delete release deallocate memory";

    /// Any loop.
    Loop in Flow: "loop iterate iteration each through repeat traverse iterative";
    /// A loop inside of another.
    NestedLoop in Flow: "nested loop row column matrix dimension pair";
    /// A loop with a counter.
    CountedLoop in Flow: "each element range index over";
    /// A loop that ends by a condition.
    WhileLoop in Flow: "while until continue long";
    /// A loop that has no end of its own.
    EndlessLoop in Flow: "infinite endless forever loop indefinitely";
    /// `if`
    Branch in Flow: "if check condition whether otherwise";
    /// `else`
    Otherwise in Flow: "otherwise else alternatively";
    /// `?:`
    Conditional in Flow: "conditional ternary operator otherwise depending based";
    /// `switch`
    Switch in Flow: "switch case map mapping correspond depending enumerate";
    /// A `default` branch.
    Default in Flow: "default otherwise unknown unrecognized";
    /// A loop is left early.
    Break in Flow: "break stop exit early soon once found";
    /// A loop goes on with its next round.
    Continue in Flow: "skip ignore continue";
    /// `goto`
    Goto in Flow: "jump label goto";
    /// The function returns from within, before its end.
    EarlyReturn in Flow: "immediately early if";
    /// The function calls itself.
    Recursion in Flow: "recursive recursively recursion itself";
    /// A function is called through a pointer or parameter.
    IndirectCall in Flow: "callback function pointer invoke call provided";
    /// A function that is not known is called.
    Call in Flow: "call helper invoke function";
    /// An exception is thrown.
    Throw in Flow: "throw exception error raise";
    /// An exception is caught.
    Catch in Flow: "catch exception handle try";
    /// No statement at all.
    EmptyBody in Flow: "empty no nothing any operation placeholder perform body stub intentionally effect";
    /// A body of one statement.
    SingleStatement in Flow: "simply directly simple single";
    /// An anonymous function.
    Lambda in Flow: "lambda anonymous function predicate";
    /// Parts of the body depend on macros.
    ConditionalCompilation in Flow: "preprocessor directive conditional compilation macro defined platform specific compile depending";
    /// `inline`
    Inline in Flow: "inline";
    /// `static`: not seen from other files.
    Static in Flow: "static internal linkage file";
    /// `constexpr`
    CompileTime in Flow: "compile time constant expression constexpr evaluated";
    /// `noexcept`
    NoThrow in Flow: "noexcept exception guarantee throw";
    /// Inline assembly.
    Assembly in Flow: "inline assembly instruction";

    /// Nothing is returned.
    ReturnsNothing in Results: "no void not any nothing";
    /// A constant is returned, whatever comes in.
    ReturnsConstant in Results: "constant fixed always predefined return immediately hardcoded";
    /// `return 0`
    ReturnsZero in Results: "zero 0 success successful";
    /// `return 1`
    ReturnsOne in Results: "one 1";
    /// `return -1`
    ReturnsMinusOne in Results: "-1 negative one error failure fail";
    /// `return true`
    ReturnsTrue in Results: "true";
    /// `return false`
    ReturnsFalse in Results: "false";
    /// `return NULL`
    ReturnsNull in Results: "null nullptr none";
    /// A string literal is returned.
    ReturnsLiteral in Results: "string literal fixed constant";
    /// A parameter is returned as it came.
    ReturnsParameter in Results: "same unchanged identical input pass identity itself without directly";
    /// A member is returned: a getter.
    ReturnsMember in Results: "get retrieve access getter field member stored value";
    /// An element of a table is returned.
    ReturnsElement in Results: "lookup table index element retrieve array";
    /// The result of a comparison is returned.
    ReturnsComparison in Results: "true false boolean check whether determine indicate otherwise";
    /// An address is returned.
    ReturnsAddress in Results: "pointer address reference";
    /// The result of a call is returned.
    ReturnsCall in Results: "result wrapper call return";
    /// The result of arithmetic is returned.
    ReturnsArithmetic in Results: "compute calculate result computed";
    /// A local variable that the function filled is returned.
    ReturnsLocal in Results: "resulting result final";
    /// The object itself is returned.
    ReturnsObject in Results: "reference itself chain chaining";

    /// Two values are swapped.
    Swap in Idioms: "swap exchange interchange";
    /// The smaller of two values.
    Minimum in Idioms: "minimum smaller lesser min smallest";
    /// The larger of two values.
    Maximum in Idioms: "maximum larger greater max largest";
    /// A value is held between two bounds.
    Clamp in Idioms: "clamp limit range bound minimum maximum restrict within";
    /// The value without its sign.
    Absolute in Idioms: "absolute value magnitude negative";
    /// A three-way comparison: -1, 0, 1.
    ThreeWay in Idioms: "compare comparison order negative zero positive sort comparator less greater";
    /// Bits go out on one side and come in on the other.
    Rotate in Idioms: "rotate rotation circular bitwise left right";
    /// A hash is made.
    Hash in Idioms: "hash hashing checksum mix multiply";
    /// Digits become a number.
    ParseDigits in Idioms: "parse digit decimal convert number integer string numeric";
    /// A number becomes digits.
    PrintDigits in Idioms: "digit decimal convert string representation character format";
    /// Hexadecimal digits.
    HexDigits in Idioms: "hexadecimal hex digit nibble convert character";
    /// A character is in a range.
    CharacterRange in Idioms: "character range ascii letter alphabetic within check";
    /// Small letters to capitals or back.
    CaseChange in Idioms: "uppercase lowercase convert letter case character";
    /// Blanks are skipped or looked for.
    Whitespace in Idioms: "whitespace space tab newline blank trim skip";
    /// The length of a string is counted.
    StringLength in Idioms: "length count string null terminated character number";
    /// Bytes are copied one by one.
    CopyLoop in Idioms: "copy copies each source destination byte element";
    /// All elements get one value.
    Fill in Idioms: "fill initialize set zero clear all element";
    /// The elements are added up.
    Accumulate in Idioms: "sum total accumulate accumulated add aggregate";
    /// Something is searched for in a loop.
    Search in Idioms: "search find first occurrence look locate found matching";
    /// Elements that fulfil a condition are counted.
    CountIf in Idioms: "count number occurrence total";
    /// A list is walked along its links.
    LinkedList in Idioms: "linked list node next traverse chain";
    /// A tree is walked.
    Tree in Idioms: "tree node left right child binary recursive";
    /// The lowest set bit, powers of two.
    PowerOfTwo in Idioms: "power two bit set single";
    /// A value is rounded up to a multiple.
    Align in Idioms: "align alignment round multiple boundary up";
    /// A single bit is tested, set or cleared.
    SingleBit in Idioms: "bit position set test specific particular";
    /// The bytes of a value change their order.
    ByteSwap in Idioms: "byte order endian swap reverse big little";
    /// Bytes are joined to a number or a number is cut into bytes.
    JoinBytes in Idioms: "byte read combine big little endian bit integer buffer unsigned";
    /// `x != x`
    NotANumber in Idioms: "nan not number floating";
    /// Pointers are tested before use.
    NullCheck in Idioms: "null check pointer valid nullptr if";
    /// A product of vectors or matrices.
    DotProduct in Idioms: "dot product vector matrix multiplication component";
    /// Squares, distances.
    Square in Idioms: "square squared distance length magnitude norm";
    /// Linear interpolation.
    Interpolate in Idioms: "interpolate interpolation linear blend between factor";
    /// Elements are reversed in place.
    Reverse in Idioms: "reverse order place backward";
    /// Neighbours are exchanged until all is in order.
    Sort in Idioms: "sort sorting order ascending swap element";
    /// The middle of a range is looked at again and again.
    BinarySearch in Idioms: "binary search sorted middle half";
    /// Euclid's algorithm.
    GreatestDivisor in Idioms: "greatest common divisor gcd euclidean algorithm";
    /// A value is looked up in a constant table.
    Table in Idioms: "table lookup array predefined precomputed static mapping index";
    /// Bits are counted.
    CountBits in Idioms: "count number set bit population leading trailing zero";
    /// A random number is made by a recurrence.
    RandomNumber in Idioms: "random pseudo generator seed linear congruential";
    /// Wrappers: the body is one call that gets the parameters.
    Wrapper in Idioms: "wrapper wrap around delegate forward pass underlying simply call standard";
    /// All members or elements are set from the parameters.
    Initialize in Idioms: "initialize initial set member default value assign setup";

    /// The same operation for each element.
    ComponentWise in Idioms: "component wise element corresponding each";
    /// Elements are copied.
    CopyElements in Idioms: "copy copies element source destination";
    /// One value goes to all elements.
    Broadcast in Idioms: "fill every element same single value all broadcast";
    /// All elements become 0.
    AllZero in Idioms: "zero clear set all element";
    /// All elements become 1.
    AllOne in Idioms: "one set all element";
    /// An identity matrix or quaternion.
    Identity in Idioms: "identity matrix diagonal one zero";
    /// Rows become columns.
    Transpose in Idioms: "transpose transposed row column matrix";
    /// Elements change their order.
    Permute in Idioms: "reorder rearrange permute swizzle order";
    /// Separate values become elements.
    FromScalars in Idioms: "initialize create construct separate individual component value vector set";
    /// Sines and cosines of an angle.
    RotationMatrix in Idioms: "rotation rotate angle matrix sine cosine axis";
    /// Some elements, the order kept.
    Extract in Idioms: "extract part copy first submatrix";
    /// Elements of several arrays become one.
    Compose in Idioms: "combine compose construct from append component";
    /// Elements among constants.
    Embed in Idioms: "construct convert set remaining zero one";
    /// All elements but one are negated.
    Conjugate in Idioms: "conjugate quaternion negate inverse";
    /// The sign of each element changes.
    NegateElements in Idioms: "negate negation sign invert opposite each component";
    /// Absolute values of the elements.
    AbsoluteElements in Idioms: "absolute value each component";
    /// Roots of the elements.
    RootElements in Idioms: "square root each component";
    /// Elements are rounded.
    RoundElements in Idioms: "round floor ceil each component";
    /// Squares of the elements.
    SquareElements in Idioms: "square each component";
    /// Sums of two arrays.
    AddElements in Idioms: "add addition sum two component wise vector";
    /// Differences of two arrays.
    SubtractElements in Idioms: "subtract subtraction difference two component wise vector";
    /// Products of two arrays.
    MultiplyElements in Idioms: "multiply multiplication product component wise";
    /// Quotients of two arrays.
    DivideElements in Idioms: "divide division quotient component wise";
    /// Remainders of two arrays.
    RemainderElements in Idioms: "modulo remainder component wise";
    /// Smaller ones of two arrays.
    MinimumElements in Idioms: "minimum smaller component wise corresponding";
    /// Larger ones of two arrays.
    MaximumElements in Idioms: "maximum larger component wise corresponding";
    /// Each element times one factor.
    ScaleElements in Idioms: "scale scalar multiply factor each";
    /// Each element by one divisor.
    DivideByScalar in Idioms: "divide scalar divisor each";
    /// The same is added to each element.
    AddScalar in Idioms: "add scalar each";
    /// The same is subtracted from each element.
    SubtractScalar in Idioms: "subtract scalar each";
    /// The result is added to what is there.
    AccumulateElements in Idioms: "accumulate add existing destination current result";
    /// A product is added.
    MultiplyAdd in Idioms: "multiply add scaled product";
    /// The mean of two arrays.
    Midpoint in Idioms: "center midpoint middle average half between";
    /// Divided by its length.
    Normalize in Idioms: "normalize unit length divide magnitude norm";
    /// The cross product.
    CrossProduct in Idioms: "cross product perpendicular";
    /// The product of two quaternions.
    QuaternionProduct in Idioms: "quaternion multiply product multiplication hamilton";
    /// A product with a matrix.
    MatrixProduct in Idioms: "matrix multiply multiplication product";
    /// A matrix times a vector.
    MatrixByVector in Idioms: "vector transform column";
    /// A matrix times a matrix.
    MatrixByMatrix in Idioms: "two matrices concatenate";
    /// Each element of one with each of the other.
    OuterProduct in Idioms: "outer product tensor";
    /// Other sums of products.
    SumsOfProducts in Idioms: "combination product sum compute rotation";
    /// Divided by a common value.
    Inverse in Idioms: "inverse invert determinant reciprocal";
    /// The square root of the sum of squares.
    Norm in Idioms: "length magnitude norm euclidean square root";
    /// The sum of squares.
    SquaredNorm in Idioms: "squared length magnitude norm sum square";
    /// The norm of a difference.
    Distance in Idioms: "distance between two point euclidean";
    /// The sum of absolute values.
    SumOfAbsolutes in Idioms: "sum absolute value manhattan taxicab norm";
    /// The sum of the elements.
    SumOfElements in Idioms: "sum total add all element";
    /// The product of the elements.
    ProductOfElements in Idioms: "product multiply all element";
    /// The diagonal of a matrix.
    Diagonal in Idioms: "diagonal trace matrix square main";
    /// The determinant of a matrix.
    Determinant in Idioms: "determinant matrix";
    /// The smallest element.
    SmallestElement in Idioms: "minimum smallest among all element";
    /// The largest element.
    LargestElement in Idioms: "maximum largest among all element";
    /// The mean of the elements.
    Average in Idioms: "average mean";
    /// Elements are compared one by one.
    CompareElements in Idioms: "compare each component all every";
    /// All elements are equal.
    AllEqual in Idioms: "equal equality all component same match";
}
