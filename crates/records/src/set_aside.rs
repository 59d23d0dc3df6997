//! The things that were left out, with their origins and the reasons.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Function, Id, Origin, Setting};

words! {
    /// A stage of the flow, by the verb that runs it.
    pub enum Stage {
        /// Repositories to functions, data sets to programs.
        Extract = "extract",
        /// Solutions of problems to those that stay; only where a recipe has programs.
        Choose = "choose",
        /// Functions to units.
        Check = "check",
        /// Units to variants.
        Vary = "vary",
        /// Units to queries.
        Query = "query",
        /// Units, variants and queries to a dataset.
        Assemble = "assemble",
        /// Dataset and retrievers to runs.
        Retrieve = "retrieve",
        /// Runs and judgments to scores.
        Score = "score",
        /// Scores to a page.
        Report = "report",
    }
}

impl Stage {
    /// Its folder in a run.
    pub fn folder(self) -> &'static str {
        match self {
            Stage::Extract => "01-functions",
            Stage::Choose => "01-solutions",
            Stage::Check => "02-units",
            Stage::Vary => "03-variants",
            Stage::Query => "04-queries",
            Stage::Assemble => "05-dataset",
            Stage::Retrieve => "06-runs",
            Stage::Score => "07-scores",
            Stage::Report => "08-report",
        }
    }
}

macro_rules! reasons {
    ($($variant:ident $code:literal $explanation:literal,)*) => {
        /// The reason why something was left out. The list is closed: anything that fits none of these is a defect of
        /// barecode.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub enum Reason {
            $(#[doc = $explanation] #[serde(rename = $code)] $variant,)*
        }

        impl Reason {
            /// All reasons, in the order of the flow.
            pub const ALL: &[Reason] = &[$(Reason::$variant,)*];

            /// The reason as files, counts and the report have it.
            pub fn code(self) -> &'static str {
                match self { $(Reason::$variant => $code,)* }
            }

            /// The meaning of the reason, in a sentence.
            pub fn explanation(self) -> &'static str {
                match self { $(Reason::$variant => $explanation,)* }
            }
        }
    };
}

reasons! {
    SourceUnreachable "source_unreachable" "The repository, revision, folder, archive or package does not exist, or cannot be reached.",
    SourceCorrupt "source_corrupt" "The repository or archive is damaged.",
    SourceTooLarge "source_too_large" "The repository or archive unpacks to more than is read.",
    SubmoduleAbsent "submodule_absent" "The path is another repository (a submodule), whose files are missing.",
    EntryUnsafe "entry_unsafe" "The archive contains an entry that would leave its folder or is not a file.",
    FileIsLink "file_is_link" "It is a link, which is not followed.",
    FileMissing "file_missing" "The repository names the file, but does not contain its text, as in a partial clone.",
    FileIsPointer "file_is_pointer" "Git LFS stores the text elsewhere; the file is only a pointer to it.",
    FileUnreadable "file_unreadable" "The file could not be read.",
    FileNotUtf8 "file_not_utf8" "The file is not UTF-8.",
    FileTooLarge "file_too_large" "The file is larger than the recipe allows.",
    FileGenerated "file_generated" "A program generated the file: a note at its top states it, or most of its lines are marked as being from another file.",
    FileVendored "file_vendored" "The file is from another project, by its folder or name.",
    FileTest "file_test" "The file is a test, by its folder or name.",
    FileBenchmark "file_benchmark" "The file measures or fuzzes, by its folder.",
    FileBuild "file_build" "The file is in a folder that a build fills.",
    FileNotBuilt "file_not_built" "The build that the recipe names does not compile the file.",
    FileOfTypes "file_of_types" "The file has types only (`.pyi`): programs that check types read it, and none runs it.",
    FileExcluded "file_excluded" "The recipe leaves the file out.",
    FileOtherLanguage "file_other_language" "The file is written in a language that is not read. The detail names the language or the evidence for it.",
    TranslationUnitTooLarge "translation_unit_too_large" "Includes or macros grow beyond every bound.",
    InactiveConfig "inactive_config" "Conditional compilation switches the function off.",
    OtherSystem "other_system" "Its file includes a header that only another operating system has, such as `windows.h`; the detail names both.",
    MacroGenerated "macro_generated" "A macro makes the function's head, so it has no name of its own.",
    LocalFunction "local_function" "The function, or its class, is inside another function and is mined with that.",
    NoBody "no_body" "The function has no work of its own: it passes, raises `NotImplementedError`, or exists for its types.",
    ParseError "parse_error" "The text could not be parsed.",
    Unplaced "unplaced" "By its brackets it is a function, and the parser did not find it: a token before it is unknown or wrong.",
    Duplicate "duplicate" "The same tokens were kept from elsewhere in the source.",
    FormatUnknown "format_unknown" "The file has the marks of no data set of programs.",
    RowCorrupt "row_corrupt" "The row of the data set cannot be read: it is not JSON or not UTF-8, or the file is cut off there.",
    RowIncomplete "row_incomplete" "The row of the data set lacks a field, or the field is of another type.",
    NoProgram "no_program" "The row of the data set has no solution in Python.",
    NotAccepted "not_accepted" "The judge of the data set did not accept the program.",
    Python2 "python2" "The program or file is written in Python 2.",
    NeedsPackage "needs_package" "The program or its tests need a package outside of the standard library.",
    UnsafeInterface "unsafe_interface" "The program uses files, processes, connections or another interface that the recipe does not allow.",
    NoTests "no_tests" "The program has no tests.",
    NoExpectedOutput "no_expected_output" "A test of the program expects nothing.",
    TooFewTests "too_few_tests" "The program has fewer tests than the recipe requires.",
    PrintsExpected "prints_expected" "The program prints what its tests expect without computing it.",
    LookupTable "lookup_table" "The program looks its answers up in a table.",
    OversizedLiterals "oversized_literals" "Most of the program is literals.",
    Repetitive "repetitive" "The program has few different lines.",
    DuplicateProgram "duplicate_program" "A program with the same tree was kept, from this source or another.",
    DuplicateProblem "duplicate_problem" "Another problem has the same statement.",
    SimilarSolution "similar_solution" "The program is too similar to another solution of its problem, which stays.",
    EnoughSolutions "enough_solutions" "The problem has as many dissimilar solutions as the recipe keeps.",
    NotebookBroken "notebook_broken" "The notebook is not JSON, or has no cells.",
    CommentTooShort "comment_too_short" "The comment in a script has fewer than two words.",
    NoCodeBelow "no_code_below" "The code between the comment and the next one is empty, or only loads packages.",
    CommentIsCode "comment_is_code" "The comment is code that was switched off.",
    CommentInside "comment_inside" "The comment is inside a statement, or inside code that another comment is about.",
    CommentBehindCode "comment_behind_code" "The comment follows code on the same line.",
    CommentOfFunction "comment_of_function" "The comment documents a function or an object in roxygen's form, so it belongs to that and not to statements.",
    CommentForTool "comment_for_tool" "The comment is for a tool: options of a chunk, the first line of a program.",
    CommentBeforeLibrary "comment_before_library" "The published rules read a script from the first line that loads a package, and the comment is before that line.",
    CommentRepeated "comment_repeated" "The file has the same comment before, and by the published rules its code was joined to that pair's.",
    CodeUnparsable "code_unparsable" "The code below the comment, or around it, is not R.",
    NotSampled "not_sampled" "The recipe's limit for the source was reached by other functions.",
    ClosureTooLarge "closure_too_large" "The function's closure is larger than the recipe allows.",
    UndeclaredName "undeclared_name" "The unit uses a name that nothing in it declares.",
    IncompleteType "incomplete_type" "The unit needs a type that is declared in it and not defined.",
    ConflictingDeclarations "conflicting_declarations" "Two declarations of the unit contradict each other.",
    TargetFeature "target_feature" "The unit needs instructions that the compiler makes only with other flags.",
    SyntaxError "syntax_error" "The compiler, or the grammar of the language, cannot parse the unit.",
    TypeError "type_error" "Types or arguments in the unit do not go together.",
    CompileError "compile_error" "The compiler refuses the unit for another reason.",
    NeedsThirdParty "needs_third_party" "The unit needs a header that is neither standard nor in the source.",
    TimeLimit "time_limit" "The compiler ran longer than the recipe allows.",
    MemoryLimit "memory_limit" "The compiler needed more memory than the recipe allows.",
    OutputLimit "output_limit" "The compiler wrote more than the recipe allows.",
    NoCode "no_code" "The function compiles to nothing.",
    TestsFail "tests_fail" "The program does not pass its own tests.",
    NewerPython "newer_python" "The program is written in a newer Python than the interpreter's; the detail names its version.",
    TestsMissing "tests_missing" "No test of the program was reached.",
    TestsNotSeparable "tests_not_separable" "The tests of the program cannot be run apart from it, so that a verdict could be forged.",
    NoTransform "no_transform" "Fewer transforms than the recipe requires can be applied to the program.",
    RewriteUnparsable "rewrite_unparsable" "The transformed program is not valid Python.",
    BugAlone "bug_alone" "The published bug has no program that it could be compared with: those of its problem were left out.",
    CloneFails "clone_fails" "The intended clone fails one of the program's tests.",
    CloneDiffers "clone_differs" "The intended clone passes the tests and behaves differently on a made-up input, which the detail names.",
    BugPasses "bug_passes" "The intended bug passes all tests of the program, at the last try.",
    BugOtherFault "bug_other_fault" "The intended bug fails in another way than the recipe requires, at the last try; the detail names the failure.",
    SettingOtherLanguage "setting_other_language" "The setting is not made for the language of the unit.",
    RenameUnsafe "rename_unsafe" "No renaming could be found that keeps the unit intact.",
    VariantCompileError "variant_compile_error" "The compiler refuses the variant.",
    LoweringFailed "lowering_failed" "The compiler of the setting refuses the unit.",
    ProofFailed "proof_failed" "The variant compiles to other code than the unit; in a language that is not compiled, its names mean something else or it is parsed otherwise.",
    NoDocComment "no_doc_comment" "No comment is directly before the function or one of its prototypes, and no comment or page elsewhere names it.",
    QueryTooShort "query_too_short" "The cleaned comment has too few words.",
    QueryTooLong "query_too_long" "The cleaned comment has too many words.",
    QueryNotProse "query_not_prose" "The cleaned comment is not a description in words.",
    QueryDuplicate "query_duplicate" "Another function has the same cleaned comment, or another query the same text.",
    QueryNotEnglish "query_not_english" "The written query is in another language than English.",
    QueryLeaks "query_leaks" "The written query still names what is in the code after the last try, and the recipe does not keep such queries.",
    AnswerEmpty "answer_empty" "The model that should write the query wrote nothing, at its last try.",
    AnswerCut "answer_cut" "The model that should write the query was cut off at its limit, at its last try.",
    AnswerRefused "answer_refused" "The model that should write the query declined, at its last try.",
    PromptTooLong "prompt_too_long" "The prompt for the query is longer than the model reads.",
    ClassNone "class_none" "The model that classifies comments put it in none of the classes.",
    ClassUnknown "class_unknown" "The answer of the model that classifies comments is not one of the classes; the detail is its beginning.",
    CommentsOff "comments_off" "The recipe does not use comments as queries.",
    AnswerUnknown "answer_unknown" "Your own query gives an id, line or name that no function of the sources has.",
    AnswerLeftOut "answer_left_out" "The function that answers your own query was set aside before, for the reason in the detail.",
    AnswerAmbiguous "answer_ambiguous" "Several functions fit what one's own query gives as its answer; the detail lists them.",
    ReviewDropped "review_dropped" "A reviewer dropped the query; the detail names the row of the patch and the note.",
    ReviewUnknown "review_unknown" "No query has the record of the review.",
    SettingMissing "setting_missing" "The unit has no proven variant in one of the settings.",
    NearDuplicate "near_duplicate" "The function is nearly the same as another one, which takes part for both.",
    SameText "same_text" "In one of the settings the function has the text of another one, which takes part; the detail names both.",
    TooOld "too_old" "The function is older than the recipe's day, so a model may have seen it.",
    DateUnknown "date_unknown" "The date of the function's first commit is unknown, and the recipe needs it.",
    RepositoryCap "repository_cap" "The recipe's limit for a repository was reached by other queries.",
    NoQueryInSubset "no_query_in_subset" "The subset has no queries, so it has nothing to ask.",
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// One thing that a stage left out (`<stage>/set-aside/`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetAside {
    /// The stage that left it out.
    pub stage: Stage,
    /// The kind of the thing: `source`, `file`, `function`, `unit`, `variant`, `query`, `subset`.
    pub kind: String,
    /// Its id where it already had one, else its parent's.
    pub id: Option<Id>,
    /// Its origin.
    pub origin: Option<Origin>,
    /// Its name where it has one.
    pub name: Option<String>,
    /// The setting that it was left out of; nothing where settings do not matter.
    pub setting: Option<Setting>,
    /// The draw of the setting.
    pub draw: Option<u32>,
    /// The reason.
    pub reason: Reason,
    /// The value that decided: the compiler's first error, a size, the origin of the other copy of a duplicate.
    pub detail: String,
}

impl SetAside {
    /// The row of a function that is not a unit.
    pub fn no_unit(function: &Function, (reason, detail): (Reason, String)) -> Self {
        SetAside {
            id: Some(function.id.clone()),
            origin: Some(function.origin.clone()),
            name: Some(function.name.clone()),
            ..SetAside::new(Stage::Check, "function", reason, detail)
        }
    }

    /// A thing without id, origin, name and setting; rows that have them write `SetAside { id, ..SetAside::new(…) }`.
    pub fn new(stage: Stage, kind: &str, reason: Reason, detail: impl Into<String>) -> Self {
        SetAside {
            stage,
            kind: kind.to_owned(),
            id: None,
            origin: None,
            name: None,
            setting: None,
            draw: None,
            reason,
            detail: detail.into(),
        }
    }
}
