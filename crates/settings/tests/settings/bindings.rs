//! Names whose declaration is hard to find, under new names: what is renamed here still means the same, and where that
//! cannot be decided the name stays in all places. Compilers that are on this machine say of each text what they say of
//! the text as it was written.

use std::process::Command;

use barecode_corpus::{Dialects, ExtractConfig, StandardHeaders, check_read, extract};
use barecode_records::{Language, Setting, Unit, Variant};
use barecode_settings::{bound, vary};
use barecode_sources::{Source, SourceConfig};
use barecode_testing::needs::not_here;
use expect_test::{Expect, expect};
use tempfile::TempDir;

use super::no_compilers;

/// The units of a file that needs no compiler.
pub(crate) fn read_units(file: &str, text: &str) -> Vec<Unit> {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join(file), text).unwrap();
    let config = SourceConfig {
        from: "path:.".to_owned(),
        ..SourceConfig::default()
    };
    let source = Source::resolve(&config, folder.path()).unwrap();
    let none = Dialects {
        c: StandardHeaders::new(Language::C, "", []),
        cpp: None,
    };
    let extracted = extract(&source, &ExtractConfig::default(), &none, 3);
    let checked = check_read(&extracted.kept);
    assert!(checked.set_aside.is_empty(), "{:?}", checked.set_aside);
    checked.kept
}

/// The same, each under neutral names.
fn renamed(file: &str, text: &str) -> Vec<(Unit, Variant)> {
    let units = read_units(file, text);
    let settings = [(Setting::NEUTRALIZED, None)];
    let varied = vary(&units, &settings, 0, &bound, no_compilers).unwrap();
    assert!(varied.set_aside.is_empty(), "{:?}", varied.set_aside);
    units.into_iter().zip(varied.kept).collect()
}

/// The unit of a function, under neutral names.
fn one(file: &str, text: &str, function: &str) -> (Unit, Variant) {
    let mut all = renamed(file, text).into_iter();
    let found = all.find(|(unit, _)| unit.name == function);
    found.expect("it is a unit")
}

/// A function's text under neutral names, with the names that stay.
fn check(file: &str, text: &str, function: &str, expected: &Expect) {
    let (_, variant) = one(file, text, function);
    let mut seen = variant.compiled_text.clone();
    for kept in &variant.kept {
        seen = format!("{seen}{}: {}\n", kept.name, kept.reason);
    }
    expected.assert_eq(&seen);
}

/// Whether a program of this machine takes a file, what it writes, and how many errors it names; `None` without it.
#[expect(
    clippy::disallowed_methods,
    reason = "a compiler of another language is the oracle"
)]
fn said(
    program: &str,
    arguments: &[&str],
    file: &str,
    text: &str,
) -> Option<(bool, String, usize)> {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join(file), text).unwrap();
    let mut command = Command::new(program);
    let command = command.args(arguments).arg(file).current_dir(folder.path());
    let Ok(output) = command.output() else {
        not_here(&format!("no `{program}`"));
        return None;
    };
    let errors = String::from_utf8_lossy(&output.stderr)
        .matches("error")
        .count();
    let written = String::from_utf8_lossy(&output.stdout).into_owned();
    Some((output.status.success(), written, errors))
}

#[test]
fn the_blank_identifier_of_go_stays() {
    let text = "package p\n\nfunc total(files []int) int {\n\tsum := 0\n\tfor _, f := range files {\n\t\tsum += f\n\t}\n\t_, err := read(sum)\n\t_ = err\n\treturn sum\n}\n";
    check(
        "a.go",
        text,
        "total",
        &expect![[r"
        func func_0(var_0 []int) int {
        	var_1 := 0
        	for _, var_2 := range var_0 {
        		var_1 += var_2
        	}
        	_, var_3 := read(var_1)
        	_ = var_3
        	return var_1
        }
    "]],
    );
}

const WALK: &str = "package p

type Node struct {
	children []*Node
}

func (n *Node) Walk() int {
	count := 1
	for _, c := range n.children {
		count += c.Walk()
	}
	return count
}

func (n *Node) Close() error {
	return os.Close()
}

type Pipe struct {
	conn net.Conn
	next *Pipe
}

func (p *Pipe) Write(b []byte) (int, error) {
	return p.conn.Write(b)
}

func (p *Pipe) Flush() {
	p.next.Flush()
}
";

#[test]
fn a_type_of_others_has_the_name_of_one_of_the_text() {
    let text = "package p\n\ntype Conn struct {\n\tinner net.Conn\n\tnet.Addr\n}\n\ntype Addr struct {\n\tport int\n}\n\nfunc (c *Conn) Close() error {\n\t_ = Conn{Addr: c.inner.LocalAddr()}\n\t_ = Addr{port: 1}\n\treturn c.inner.Close()\n}\n";
    check(
        "a.go",
        text,
        "Close",
        &expect![[r"
        type struct_0 struct {
        	field_0 net.Conn
        	net.Addr
        }
        type Addr struct {
        	field_1 int
        }
        func (var_0 *struct_0) Close() error {
        	_ = struct_0{Addr: var_0.field_0.LocalAddr()}
        	_ = Addr{field_1: 1}
        	return var_0.field_0.Close()
        }
        Addr: it is a type and a field
        Close: another object may have a member of this name
    "]],
    );
}

#[test]
fn what_others_call_keeps_its_name_in_javascript() {
    let text = "function decorate(response, count) {\n  response.json = async () => count;\n  return response.pipe(new Stream({\n    flush() { return count; },\n    start: function () { return 1; },\n  }));\n}\n";
    check(
        "a.js",
        text,
        "decorate",
        &expect![[r"
        function func_0(var_0, var_1) {
          var_0.json = async () => var_1;
          return var_0.pipe(new Stream({
            flush() { return var_1; },
            start: function () { return 1; },
          }));
        }
        flush: others call it by this name
        json: others call it by this name
        start: others call it by this name
    "]],
    );
}

#[test]
fn what_a_path_from_the_root_names_stays_in_rust() {
    let text = "pub struct Bad;\nstruct Worse;\nfn fails() -> Result<Worse, Bad> { Err(Bad) }\nfn is_bad() -> bool {\n    let _ = Worse;\n    matches!(fails(), Err(crate::Bad))\n}\n";
    check(
        "a.rs",
        text,
        "is_bad",
        &expect![[r"
        pub struct Bad;
        struct Struct_0;
        fn func_1() -> Result<Struct_0, Bad> { Err(Bad) }
        fn func_0() -> bool {
            let _ = Struct_0;
            matches!(func_1(), Err(crate::Bad))
        }
        Bad: it is not certain where its declaration holds
    "]],
    );
}

#[test]
fn a_function_that_may_call_itself_keeps_its_name_and_another_does_not() {
    check(
        "a.go",
        WALK,
        "Walk",
        &expect![[r"
        type struct_0 struct {
        	field_0 []*struct_0
        }
        func (var_0 *struct_0) Walk() int {
        	var_1 := 1
        	for _, var_2 := range var_0.field_0 {
        		var_1 += var_2.Walk()
        	}
        	return var_1
        }
        Walk: another object may have a member of this name
    "]],
    );
    check(
        "a.go",
        WALK,
        "Write",
        &expect![[r"
        type struct_0 struct {
        	field_0 net.Conn
        	field_1 *struct_0
        }
        func (var_0 *struct_0) method_0(var_1 []byte) (int, error) {
        	return var_0.field_0.Write(var_1)
        }
        Write: elsewhere it is the name of something else
    "]],
    );
    check(
        "a.go",
        WALK,
        "Flush",
        &expect![[r"
        type struct_0 struct {
        	field_1 net.Conn
        	field_0 *struct_0
        }
        func (var_0 *struct_0) Flush() {
        	var_0.field_0.Flush()
        }
        Flush: another object may have a member of this name
    "]],
    );
    check(
        "a.go",
        WALK,
        "Close",
        &expect![[r"
        type struct_0 struct {
        	field_0 []*struct_0
        }
        func (var_0 *struct_0) method_0() error {
        	return os.Close()
        }
        Close: elsewhere it is the name of something else
    "]],
    );
}

const CASES: &str = "class Cases {
    static int pick(int kind) {
        switch (kind) {
            case 1:
                int size = 3;
                return size;
            case 2:
                size = 4;
                return size + kind;
            default:
                return 0;
        }
    }
}
";

#[test]
fn a_local_of_one_case_is_used_in_the_next() {
    for file in ["Cases.java", "Cases.cs"] {
        check(
            file,
            CASES,
            "pick",
            &expect![[r"
        class class_0 {
            static int method_0(int var_0) {
                switch (var_0) {
                    case 1:
                        int var_1 = 3;
                        return var_1;
                    case 2:
                        var_1 = 4;
                        return var_1 + var_0;
                    default:
                        return 0;
                }
            }
        }
    "]],
        );
    }
    let (unit, variant) = one("Cases.java", CASES, "pick");
    let said = |text: &str| said("javac", &["-d", "."], "Cases.java", text);
    let before = said(&unit.closure.text);
    assert!(before.as_ref().is_none_or(|(taken, ..)| *taken));
    assert_eq!(before, said(&variant.compiled_text));
}

#[test]
fn variables_of_computed_names_stay_in_php() {
    let text = "<?php\nfunction fill() {\n    $rest = 2;\n    foreach (['a' => 1] as $key => $value) {\n        $$key = $value;\n    }\n    return $a + $rest;\n}\n";
    check(
        "a.php",
        text,
        "fill",
        &expect![[r"
        <?php
        function func_0() {
            $rest = 2;
            foreach (['a' => 1] as $key => $value) {
                $$key = $value;
            }
            return $a + $rest;
        }
        a: the name of a variable is computed
        key: the name of a variable is computed
        rest: the name of a variable is computed
        value: the name of a variable is computed
    "]],
    );
    let text = "<?php\nfunction plain($a) {\n    $row = ['a' => $a];\n    return $row;\n}\n";
    check(
        "a.php",
        text,
        "plain",
        &expect![[r"
        <?php
        function func_0($var_0) {
            $var_1 = ['a' => $var_0];
            return $var_1;
        }
    "]],
    );
}

#[test]
fn a_function_that_a_variable_names_and_methods_of_interfaces_keep_their_names_in_php() {
    let text = "<?php\nfunction check($word) { return $word; }\nfunction all($words) {\n    $name = 'check';\n\
                \x20   $bag = new class implements Countable { public function count(): int { return $this->size(); } private function size() { return 2; } };\n\
                \x20   return [$name($words), check($words), count($bag)];\n}\n";
    check(
        "a.php",
        text,
        "all",
        &expect![[r"
        <?php
        function check($var_3) { return $var_3; }
        function func_0($var_0) {
            $var_1 = 'check';
            $var_2 = new class implements Countable { public function count(): int { return $this->method_0(); } private function method_0() { return 2; } };
            return [$var_1($var_0), check($var_0), count($var_2)];
        }
        check: a text or a symbol spells it
        count: others call it by this name
    "]],
    );
}

#[test]
fn methods_that_the_library_asks_for_keep_their_names_in_c_sharp() {
    let text = "using System;\nclass Lock : IDisposable {\n    int held;\n    public void Dispose() { Release(); }\n\
                \x20   void Release() { held = 0; }\n}\n";
    check(
        "A.cs",
        text,
        "Dispose",
        &expect![[r"
        class class_0 : IDisposable {
            int field_0;
            public void Dispose() { method_0(); }
            void method_0() { field_0 = 0; }
        }
        Dispose: others call it by this name
    "]],
    );
}

#[test]
fn a_method_that_an_array_names_keeps_its_name_in_php() {
    let text = "<?php\nclass A {\n    function all($rows) { return array_filter($rows, [$this, 'one']); }\n    function one($row) { return $this->all([$row]); }\n}\n";
    check(
        "a.php",
        text,
        "one",
        &expect![[r"
        <?php
        class class_0 {
            function method_0($var_1) { return array_filter($var_1, [$this, 'one']); }
            function one($var_0) { return $this->method_0([$var_0]); }
        }
        one: a text or a symbol spells it
    "]],
    );
}

#[test]
fn names_of_nothing_stay() {
    let text = "def last(rows)\n  rows.map { |_, _, value| value }\nend\n";
    check(
        "a.rb",
        text,
        "last",
        &expect![[r"
        def method_0(var_0)
          var_0.map { |_, _, var_1| var_1 }
        end
    "]],
    );
    let text = "class A {\n    int Read(string s) {\n        int.TryParse(s, out _);\n        Func<int, int, int> f = (_, _) => 1;\n        return f(1, 2);\n    }\n}\n";
    check(
        "A.cs",
        text,
        "Read",
        &expect![[r"
        class class_0 {
            int method_0(string var_0) {
                int.TryParse(var_0, out _);
                Func<int, int, int> var_1 = (_, _) => 1;
                return var_1(1, 2);
            }
        }
    "]],
    );
}

#[test]
fn a_name_that_a_macro_is_given_may_be_a_variant() {
    let text = "pub enum Error { Token, Length }\n\nmacro_rules! fail {\n    ($err:ident) => { return Err(Error::$err) };\n}\n\npub fn read(text: &str) -> Result<usize, Error> {\n    if text.is_empty() { fail!(Token); }\n    Err(Error::Length)\n}\n";
    check(
        "lib.rs",
        text,
        "read",
        &expect![[r"
        pub enum Enum_0 { Token, Enum_1 }
        macro_rules! mACRO_0 {
            ($err:ident) => { return Err(Enum_0::$err) };
        }
        pub fn func_0(var_0: &str) -> Result<usize, Enum_0> {
            if var_0.is_empty() { mACRO_0!(Token); }
            Err(Enum_0::Enum_1)
        }
        Token: it is not certain where its declaration holds
    "]],
    );
}

const RUST: &str = r#"macro_rules! twice {
    ($x:expr) => {
        once!($x) + once!($x)
    };
}

macro_rules! once {
    ($x:expr) => {
        $x + 1
    };
}

pub fn show(s: &str, width: usize, digits: usize, count: usize) -> String {
    let count = twice!(count);
    format!("{s:>width$} {:.digits$} {count}", 1.0)
}
"#;

#[test]
fn widths_in_formats_and_macros_in_macros_are_seen_in_rust() {
    check(
        "lib.rs",
        RUST,
        "show",
        &expect![[r#"
        macro_rules! mACRO_0 {
            ($x:expr) => {
                mACRO_1!($x) + mACRO_1!($x)
            };
        }
        macro_rules! mACRO_1 {
            ($x:expr) => {
                $x + 1
            };
        }
        pub fn func_0(s: &str, width: usize, digits: usize, count: usize) -> String {
            let count = mACRO_0!(count);
            format!("{s:>width$} {:.digits$} {count}", 1.0)
        }
        count: a text or a symbol spells it
        digits: a text or a symbol spells it
        s: a text or a symbol spells it
        width: a text or a symbol spells it
    "#]],
    );
    let (unit, variant) = one("lib.rs", RUST, "show");
    let arguments = ["--edition=2021", "--crate-type=lib", "--emit=metadata"];
    let said = |text: &str| said("rustc", &arguments, "lib.rs", text);
    let before = said(&unit.closure.text);
    assert!(before.as_ref().is_none_or(|(taken, ..)| *taken));
    assert_eq!(before, said(&variant.compiled_text));
}

#[test]
fn a_key_in_a_literal_of_another_package_is_its_field_or_a_variable() {
    let text = "package routes\n\nimport (\n\t\"net/http\"\n\t\"net/url\"\n)\n\ntype Route struct{ path string }\n\n\
                func (r *Route) Path() string { return r.path }\n\nfunc (r *Route) URL(name string) (*url.URL, http.Header) {\n\
                \treturn &url.URL{Path: r.Path()}, http.Header{name: {\"x\"}}\n}\n";
    check(
        "routes.go",
        text,
        "URL",
        &expect![[r#"
        type struct_0 struct{ field_0 string }
        func (var_0 *struct_0) method_1() string { return var_0.field_0 }
        func (var_0 *struct_0) method_0(var_1 string) (*url.URL, http.Header) {
        	return &url.URL{Path: var_0.method_1()}, http.Header{var_1: {"x"}}
        }
    "#]],
    );
}

#[test]
fn the_type_of_large_integers_is_no_function_of_its_name() {
    let text = "function bigint(value: bigint): bigint {\n  return value;\n}\n";
    check(
        "big.ts",
        text,
        "bigint",
        &expect![[r"
        function func_0(var_0: bigint): bigint {
          return var_0;
        }
    "]],
    );
}

#[test]
fn a_member_of_an_enumeration_in_a_type_is_not_the_class_of_its_name() {
    let text = "enum Kind { Left = \"l\", Right = \"r\" }\n\nclass Left {\n  kind: Kind.Left = Kind.Left;\n}\n\n\
                function side(of: Kind.Left | Kind.Right): Left | null {\n  return of === Kind.Left ? new Left() : null;\n}\n";
    check(
        "side.ts",
        text,
        "side",
        &expect![[r#"
        enum enum_0 { enum_1 = "l", enum_2 = "r" }
        class class_0 {
        }
        function func_0(var_0: enum_0.enum_1 | enum_0.enum_2): class_0 | null {
          return var_0 === enum_0.enum_1 ? new class_0() : null;
        }
    "#]],
    );
}

#[test]
fn an_enumerator_is_read_by_the_next_in_typescript() {
    let text = "enum E { Low = 1, High = (Low + 4) * 2 }\n\nfunction level(): number {\n  return E.High + E.Low;\n}\n";
    check(
        "a.ts",
        text,
        "level",
        &expect![[r"
        enum enum_0 { enum_2 = 1, enum_1 = (enum_2 + 4) * 2 }
        function func_0(): number {
          return enum_0.enum_1 + enum_0.enum_2;
        }
    "]],
    );
}

const BLOCK: &str = "function open(flag) {
  if (flag) {
    function read() { return 'read'; }
    for (var last of [1, 2]) { read(); }
  }
  return read() + last;
}
";

#[test]
fn a_function_of_a_block_is_called_outside_of_it_in_javascript() {
    check(
        "a.js",
        BLOCK,
        "open",
        &expect![[r"
        function func_0(var_0) {
          if (var_0) {
            function func_1() { return 'read'; }
            for (var var_1 of [1, 2]) { func_1(); }
          }
          return func_1() + var_1;
        }
    "]],
    );
    let (unit, variant) = one("a.js", BLOCK, "open");
    let called = |text: &str, name: &str| {
        let text = format!("{text}\nconsole.log({name}(true));\n");
        said("node", &[], "a.js", &text)
    };
    let before = called(&unit.closure.text, &unit.name);
    assert!(
        before
            .as_ref()
            .is_none_or(|(_, written, _)| written == "read2\n")
    );
    let mut renamings = variant.renamed.iter();
    let name = renamings.find(|renaming| renaming.from == unit.name);
    assert_eq!(before, called(&variant.compiled_text, &name.unwrap().to));
}

#[test]
fn a_name_of_which_the_declaration_is_not_certain_stays() {
    // A declaration of a pattern in a block is the whole function's.
    let text =
        "function pair(items) {\n  { var [first, second] = items; }\n  return first + second;\n}\n";
    check(
        "a.js",
        text,
        "pair",
        &expect![[r"
        function func_0(var_0) {
          { var [first, second] = var_0; }
          return first + second;
        }
        first: it is not certain where its declaration holds
        second: it is not certain where its declaration holds
    "]],
    );
}
