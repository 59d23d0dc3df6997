//! Facts that are read from real listings, one each. Compiled from functions of our own by GCC 12.

use proptest::prelude::*;

use crate::rendering::Rendering;
use crate::signature::Trait;
use crate::vocabulary::{Concept, Field};
use crate::{render_assembly, render_wasm};
const LARGEST_0: &str = "push %rbp
mov %rsp,%rbp
mov %edi,-0x4(%rbp)
mov %esi,-0x8(%rbp)
mov -0x8(%rbp),%edx
mov -0x4(%rbp),%eax
cmp %eax,%edx
cmovge %edx,%eax
pop %rbp
ret";
const TEXT_LENGTH_0: &str = "push %rbp
mov %rsp,%rbp
mov %rdi,-0x18(%rbp)
movq $0x0,-0x8(%rbp)
jmp 0x17
addq $0x1,-0x8(%rbp)
mov -0x18(%rbp),%rdx
mov -0x8(%rbp),%rax
add %rdx,%rax
movzbl (%rax),%eax
test %al,%al
jne 0x12
mov -0x8(%rbp),%rax
pop %rbp
ret";
const IS_DIGIT_0: &str = "push %rbp
mov %rsp,%rbp
mov %edi,%eax
mov %al,-0x4(%rbp)
cmpb $0x2f,-0x4(%rbp)
jle 0x1c
cmpb $0x39,-0x4(%rbp)
jg 0x1c
mov $0x1,%eax
jmp 0x21
mov $0x0,%eax
and $0x1,%eax
pop %rbp
ret";
const TENTH_0: &str = "push %rbp
mov %rsp,%rbp
mov %edi,-0x4(%rbp)
mov -0x4(%rbp),%eax
movslq %eax,%rdx
imul $0x66666667,%rdx,%rdx
shr $0x20,%rdx
sar $0x2,%edx
sar $0x1f,%eax
sub %eax,%edx
mov %edx,%eax
pop %rbp
ret";
const REST_0: &str = "push %rbp
mov %rsp,%rbp
mov %edi,-0x4(%rbp)
mov -0x4(%rbp),%eax
movslq %eax,%rdx
imul $0xffffffff92492493,%rdx,%rdx
shr $0x20,%rdx
add %eax,%edx
sar $0x2,%edx
mov %eax,%ecx
sar $0x1f,%ecx
sub %ecx,%edx
mov %edx,%ecx
shl $0x3,%ecx
sub %edx,%ecx
sub %ecx,%eax
mov %eax,%edx
mov %edx,%eax
pop %rbp
ret";
const DOT_0: &str = "push %rbp
mov %rsp,%rbp
mov %rdi,-0x18(%rbp)
mov %rsi,-0x20(%rbp)
mov %edx,-0x24(%rbp)
pxor %xmm0,%xmm0
movsd %xmm0,-0x8(%rbp)
movl $0x0,-0xc(%rbp)
jmp 0x67
mov -0xc(%rbp),%eax
cltq
lea 0x0(,%rax,8),%rdx
mov -0x18(%rbp),%rax
add %rdx,%rax
movsd (%rax),%xmm1
mov -0xc(%rbp),%eax
cltq
lea 0x0(,%rax,8),%rdx
mov -0x20(%rbp),%rax
add %rdx,%rax
movsd (%rax),%xmm0
mulsd %xmm1,%xmm0
movsd -0x8(%rbp),%xmm1
addsd %xmm1,%xmm0
movsd %xmm0,-0x8(%rbp)
addl $0x1,-0xc(%rbp)
mov -0xc(%rbp),%eax
cmp -0x24(%rbp),%eax
jl 0x21
movsd -0x8(%rbp),%xmm0
movq %xmm0,%rax
movq %rax,%xmm0
pop %rbp
ret";
const SWAP_0: &str = "push %rbp
mov %rsp,%rbp
mov %rdi,-0x18(%rbp)
mov %rsi,-0x20(%rbp)
mov -0x18(%rbp),%rax
mov (%rax),%eax
mov %eax,-0x4(%rbp)
mov -0x20(%rbp),%rax
mov (%rax),%edx
mov -0x18(%rbp),%rax
mov %edx,(%rax)
mov -0x20(%rbp),%rax
mov -0x4(%rbp),%edx
mov %edx,(%rax)
nop
pop %rbp
ret";
const GET_0: &str = "push %rbp
mov %rsp,%rbp
mov %rdi,-0x8(%rbp)
mov -0x8(%rbp),%rax
mov (%rax),%eax
pop %rbp
ret";
const PUT_0: &str = "push %rbp
mov %rsp,%rbp
mov %rdi,-0x8(%rbp)
mov %esi,-0xc(%rbp)
mov -0x8(%rbp),%rax
mov -0xc(%rbp),%edx
mov %edx,(%rax)
nop
pop %rbp
ret";
const SEVEN_0: &str = "push %rbp
mov %rsp,%rbp
mov $0x7,%eax
pop %rbp
ret";
const NOTHING_0: &str = "push %rbp
mov %rsp,%rbp
nop
pop %rbp
ret";
const KIND_0: &str = "push %rbp
mov %rsp,%rbp
mov %edi,-0x4(%rbp)
cmpl $0x5,-0x4(%rbp)
ja 0x5a
mov -0x4(%rbp),%eax
lea 0x0(,%rax,4),%rdx
lea 0x0(%rip),%rax        # 1f
mov (%rdx,%rax,1),%eax
cltq
lea 0x0(%rip),%rdx        # 2b
add %rdx,%rax
jmp *%rax
mov $0x5,%eax
jmp 0x5f
mov $0x9,%eax
jmp 0x5f
mov $0xb,%eax
jmp 0x5f
mov $0x2,%eax
jmp 0x5f
mov $0x4d,%eax
jmp 0x5f
mov $0x3,%eax
jmp 0x5f
mov $0xffffffff,%eax
pop %rbp
ret";
const FACT_0: &str = "push %rbp
mov %rsp,%rbp
sub $0x10,%rsp
mov %edi,-0x4(%rbp)
cmpl $0x1,-0x4(%rbp)
jle 0x24
mov -0x4(%rbp),%eax
sub $0x1,%eax
mov %eax,%edi
call 0x1e
imul -0x4(%rbp),%eax
jmp 0x29
mov $0x1,%eax
leave
ret";
const APPLY_0: &str = "push %rbp
mov %rsp,%rbp
sub $0x10,%rsp
mov %rdi,-0x8(%rbp)
mov %esi,-0xc(%rbp)
mov -0xc(%rbp),%eax
mov -0x8(%rbp),%rdx
mov %eax,%edi
call *%rdx
leave
ret";
const LARGEST_2: &str = "cmp %edi,%esi
mov %edi,%eax
cmovge %esi,%eax
ret";
const TEXT_LENGTH_2: &str = "xor %eax,%eax
cmpb $0x0,(%rdi)
je 0x20
nopw 0x0(%rax,%rax,1)
add $0x1,%rax
cmpb $0x0,(%rdi,%rax,1)
jne 0x10
ret
nopl 0x0(%rax,%rax,1)
ret";
const TOTAL_2: &str = "xor %eax,%eax
test %rdi,%rdi
je 0x20
nopw 0x0(%rax,%rax,1)
add (%rdi),%eax
mov 0x8(%rdi),%rdi
test %rdi,%rdi
jne 0x10
ret
nopl 0x0(%rax)
ret";
const HASH_2: &str = "movzbl (%rdi),%edx
mov $0x1505,%eax
test %dl,%dl
je 0x28
nopl 0x0(%rax)
mov %eax,%ecx
add $0x1,%rdi
shl $0x5,%ecx
add %ecx,%eax
add %edx,%eax
movzbl (%rdi),%edx
test %dl,%dl
jne 0x10
ret
nopl (%rax)
ret";
const GCD_2: &str = "mov %edi,%eax
mov %esi,%edx
test %esi,%esi
je 0x20
nopl 0x0(%rax,%rax,1)
mov %edx,%ecx
cltd
idiv %ecx
mov %ecx,%eax
test %edx,%edx
jne 0x10
mov %ecx,%eax
ret
xchg %ax,%ax
mov %edi,%ecx
mov %ecx,%eax
ret";
const ROTATE_2: &str = "mov %edi,%eax
rol $0x7,%eax
ret";
const REST_2: &str = "movslq %edi,%rax
mov %edi,%edx
imul $0xffffffff92492493,%rax,%rax
sar $0x1f,%edx
shr $0x20,%rax
add %edi,%eax
sar $0x2,%eax
sub %edx,%eax
lea 0x0(,%rax,8),%edx
sub %eax,%edx
mov %edi,%eax
sub %edx,%eax
ret";
const TENTH_2: &str = "movslq %edi,%rax
sar $0x1f,%edi
imul $0x66666667,%rax,%rax
sar $0x22,%rax
sub %edi,%eax
ret";
const PARSE_2: &str = "movzbl (%rdi),%eax
lea -0x30(%rax),%edx
cmp $0x9,%dl
mov $0x0,%edx
ja 0x2b
sub $0x30,%eax
lea (%rdx,%rdx,4),%edx
add $0x1,%rdi
movsbl %al,%eax
lea (%rax,%rdx,2),%edx
movzbl (%rdi),%eax
lea -0x30(%rax),%ecx
cmp $0x9,%cl
jbe 0x10
mov %edx,%eax
ret";
const AT_2: &str = "movslq %esi,%rsi
movslq %edx,%rdx
shl $0x4,%rsi
add %rsi,%rdi
mov (%rdi,%rdx,4),%eax
ret";
const HALF_2: &str = "mulss 0x0(%rip),%xmm0        # 8
ret";

fn has(rendering: &Rendering, concept: Concept) -> bool {
    rendering.concepts.contains(&concept)
}

fn says(rendering: &Rendering, field: Field, word: &str) -> bool {
    rendering
        .words
        .iter()
        .any(|(of, it)| *of == field && it == word)
}

fn parameter(rendering: &Rendering, number: usize, one: Trait) -> bool {
    rendering.signature.parameters[number].has(one)
}

#[test]
fn the_frame_tells_how_many_parameters_there_are_and_how_wide() {
    let two = render_assembly(LARGEST_0);
    assert_eq!(two.signature.parameters.len(), 2);
    assert!(two.signature.is_counted);
    assert!(parameter(&two, 0, Trait::Int) && !parameter(&two, 0, Trait::Pointer));
    assert!(two.signature.returns.has(Trait::Int));
    let vectors = render_assembly(DOT_0);
    assert_eq!(vectors.signature.parameters.len(), 3);
    assert!(
        parameter(&vectors, 0, Trait::Double)
            && parameter(&vectors, 0, Trait::Pointer)
            && parameter(&vectors, 0, Trait::Array)
    );
    assert!(vectors.signature.returns.has(Trait::Double));
    assert!(has(&vectors, Concept::DotProduct), "{:?}", vectors.concepts);
}

#[test]
fn registers_that_are_read_first_are_parameters_without_a_frame() {
    let two = render_assembly(LARGEST_2);
    assert_eq!(two.signature.parameters.len(), 2);
    assert!(has(&two, Concept::Maximum), "{:?}", two.concepts);
    let one = render_assembly(HALF_2);
    assert_eq!(one.signature.parameters.len(), 1);
    assert!(parameter(&one, 0, Trait::Float));
    assert!(one.signature.returns.has(Trait::Float));
}

#[test]
fn a_text_is_walked_to_its_end() {
    for listing in [TEXT_LENGTH_0, TEXT_LENGTH_2] {
        let found = render_assembly(listing);
        assert!(parameter(&found, 0, Trait::Text), "{:?}", found.signature);
        assert!(has(&found, Concept::Loop));
        assert!(has(&found, Concept::StringLength), "{:?}", found.concepts);
    }
    assert!(has(&render_assembly(HASH_2), Concept::Hash));
    let parse = render_assembly(PARSE_2);
    assert!(has(&parse, Concept::ParseDigits), "{:?}", parse.concepts);
}

#[test]
fn a_truth_value_is_not_a_number() {
    let digit = render_assembly(IS_DIGIT_0);
    assert!(digit.signature.returns.has(Trait::Bool), "{digit:?}");
    assert!(parameter(&digit, 0, Trait::Char));
    assert!(has(&digit, Concept::CharacterRange));
}

#[test]
fn divisions_are_put_together_again() {
    for listing in [TENTH_0, TENTH_2] {
        let tenth = render_assembly(listing);
        assert!(
            has(&tenth, Concept::Divide) && !has(&tenth, Concept::Multiply),
            "{:?}",
            tenth.concepts
        );
        assert!(says(&tenth, Field::Literals, "10"), "{:?}", tenth.words);
    }
    for listing in [REST_0, REST_2] {
        let rest = render_assembly(listing);
        assert!(has(&rest, Concept::Remainder), "{:?}", rest.concepts);
        assert!(says(&rest, Field::Literals, "7"), "{:?}", rest.words);
    }
    assert!(has(&render_assembly(GCD_2), Concept::GreatestDivisor));
}

#[test]
fn lists_swaps_members_and_constants_are_seen() {
    let total = render_assembly(TOTAL_2);
    assert!(
        has(&total, Concept::LinkedList) && has(&total, Concept::Accumulate),
        "{:?}",
        total.concepts
    );
    let swap = render_assembly(SWAP_0);
    assert!(has(&swap, Concept::Swap));
    assert_eq!(swap.signature.written, [0, 1]);
    assert!(swap.signature.returns.has(Trait::Void));
    assert!(
        render_assembly(GET_0)
            .concepts
            .contains(&Concept::ReturnsMember)
    );
    assert_eq!(render_assembly(PUT_0).signature.written, [0]);
    let seven = render_assembly(SEVEN_0);
    assert!(has(&seven, Concept::ReturnsConstant) && says(&seven, Field::Literals, "7"));
    assert!(seven.signature.parameters.is_empty());
    assert!(has(&render_assembly(NOTHING_0), Concept::EmptyBody));
    assert!(has(&render_assembly(ROTATE_2), Concept::Rotate));
    assert!(says(&render_assembly(AT_2), Field::Data, "p1-index"));
}

#[test]
fn calls_and_jumps_tell_switches_recursion_and_pointers_to_functions() {
    assert!(has(&render_assembly(KIND_0), Concept::Switch));
    // Before linking, a call of the function itself is a call of what follows.
    assert!(has(&render_assembly(FACT_0), Concept::Call));
    let apply = render_assembly(APPLY_0);
    assert!(has(&apply, Concept::IndirectCall));
    assert!(
        parameter(&apply, 0, Trait::Callable),
        "{:?}",
        apply.signature
    );
    let named = "endbr64\npush %rbp\nmov %rsp,%rbp\nsub $0x10,%rsp\nmov %rdi,-0x8(%rbp)\nmov -0x8(%rbp),%rax\nmov %rax,%rdi\ncall strlen\nleave\nret";
    assert!(says(&render_assembly(named), Field::Calls, "length"));
}

/// The same function in the text format of WebAssembly, as Clang writes it without optimization.
const LARGEST_WASM: &str = "(func (;1;) (type 2) (param i32 i32) (result i32)\n(local i32 i32 i32)\nglobal.get 0\ni32.const 16\ni32.sub\nlocal.set 2\nlocal.get 2\nlocal.get 0\ni32.store offset=12\nlocal.get 2\nlocal.get 1\ni32.store offset=8\nblock  ;; label = @1\nblock  ;; label = @2\nlocal.get 2\ni32.load offset=12\nlocal.get 2\ni32.load offset=8\ni32.gt_s\ni32.const 1\ni32.and\ni32.eqz\nbr_if 0 (;@2;)\nlocal.get 2\ni32.load offset=12\nlocal.set 3\nbr 1 (;@1;)\nend\nlocal.get 2\ni32.load offset=8\nlocal.set 3\nend\nlocal.get 3\nreturn)";

/// The same, optimized, in the folded form.
const LARGEST_FOLDED: &str = "(func $largest (param $a i32) (param $b i32) (result i32)\n (select (local.get $a) (local.get $b) (i32.gt_s (local.get $a) (local.get $b))))";

#[test]
fn webassembly_says_the_same() {
    for text in [LARGEST_WASM, LARGEST_FOLDED] {
        let found = render_wasm(text);
        assert_eq!(found.signature.parameters.len(), 2);
        assert!(found.signature.is_counted);
        assert!(has(&found, Concept::Maximum), "{found:?}");
        assert!(has(&found, Concept::Greater), "{found:?}");
        assert!(has(&found, Concept::ReturnsParameter), "{found:?}");
        assert!(!has(&found, Concept::Store), "{found:?}");
    }
}

const ALL: [&str; 12] = [
    LARGEST_0,
    TEXT_LENGTH_0,
    DOT_0,
    KIND_0,
    FACT_0,
    SWAP_0,
    TEXT_LENGTH_2,
    HASH_2,
    GCD_2,
    PARSE_2,
    LARGEST_WASM,
    LARGEST_FOLDED,
];

proptest! {
    #[test]
    fn any_text_is_rendered(text in ".{0,400}") {
        render_assembly(&text);
        render_wasm(&text);
    }

    #[test]
    fn shuffled_and_cut_listings_are_rendered(
        which in 0..ALL.len(),
        order in prop::collection::vec((0..80_usize, 0..40_usize), 0..60),
    ) {
        let lines: Vec<&str> = ALL[which].lines().collect();
        let mixed: Vec<String> = order
            .iter()
            .filter_map(|(line, cut)| {
                let line = lines.get(line % lines.len())?;
                Some(line.chars().take((*cut).max(3)).collect())
            })
            .collect();
        let text = mixed.join("\n");
        prop_assert_eq!(render_assembly(&text), render_assembly(&text));
        prop_assert_eq!(render_wasm(&text), render_wasm(&text));
    }
}

#[test]
fn a_megabyte_is_rendered_without_much_ado() {
    for listing in [TEXT_LENGTH_0, KIND_0, LARGEST_WASM] {
        let text = listing.replace("ret\n", "nop\n").replace("return)", "drop");
        let text = format!("{text}\n").repeat((1 << 20) / text.len());
        let found = if listing == LARGEST_WASM {
            render_wasm(&text)
        } else {
            render_assembly(&text)
        };
        assert!(!found.concepts.is_empty());
    }
}

#[test]
fn the_largest_numbers_and_addresses_are_rendered() {
    for number in [
        "0x7fffffffffffffff",
        "0x8000000000000000",
        "0xffffffffffffffff",
        "-1",
    ] {
        let text = format!(
            "endbr64\npush %rbp\nmov %rsp,%rbp\nmovabs ${number},%rax\nadd ${number},%rax\nimul ${number},%rax,%rax\nand ${number},%rax\npop %rbp\nret"
        );
        assert!(!render_assembly(&text).concepts.is_empty(), "{number}");
        let wasm =
            format!("(func (param i64) (result i64)\nlocal.get 0\ni64.const {number}\ni64.add)");
        assert!(!render_wasm(&wasm).concepts.is_empty(), "{number}");
    }
    for address in ["ffffffffffffffff", "fffffffffffffffe", "7fffffffffffffff"] {
        let text = format!(
            "{address}:\tpush   %rbp\n{address}:\tjmp    {address}\n{address}:\tmov    0x{address}(%rip),%eax\n{address}:\tret"
        );
        render_assembly(&text);
        render_assembly(&text.replace('\t', " "));
        render_assembly(&format!(
            "push %rbp\nmov %rsp,%rbp\njmp 0x{address}\ncall 0x{address}\nlea 0x{address}(%rip),%rax # {address}\nret"
        ));
    }
}
