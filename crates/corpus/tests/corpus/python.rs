//! Python: functions of a project, and what stands with them.

use barecode_corpus::ExtractConfig;
use barecode_python::Module;
use barecode_records::{Function, Group, Language, Outcome, Reason};
use barecode_sources::{Source, SourceConfig};
use barecode_testing::files::fill;
use tempfile::TempDir;

use crate::headers;

fn extract_of(files: &[(&str, &str)], config: &ExtractConfig) -> Outcome<Vec<Function>> {
    let folder = TempDir::new().unwrap();
    let bytes = files.iter().map(|(path, text)| (*path, text.as_bytes()));
    fill(folder.path(), &bytes.collect::<Vec<_>>());
    let source = SourceConfig {
        from: format!("path:{}", folder.path().display()),
        ..SourceConfig::default()
    };
    let source = Source::resolve(&source, folder.path()).unwrap();
    barecode_corpus::extract(&source, config, &headers(), 0)
}

fn function<'e>(extracted: &'e Outcome<Vec<Function>>, name: &str) -> &'e Function {
    let mut found = extracted
        .kept
        .iter()
        .filter(|function| function.qualified_name == name);
    let function = found
        .next()
        .unwrap_or_else(|| panic!("{name}: {:?}", extracted.set_aside));
    assert!(found.next().is_none());
    function
}

const PROJECT: [(&str, &str); 6] = [
    ("src/shop/__init__.py", "from .tax import rate as rate\n"),
    (
        "src/shop/tax.py",
        "import math\n\n_BASE = 0.19\n\n\ndef rate(country):\n    \"\"\"The tax of a country as a share of the price.\"\"\"\n    # as of today\n    return _BASE if country == 'de' else math.pi\n",
    ),
    (
        "src/shop/cart.py",
        "from __future__ import annotations\nimport json, sys\nfrom shop import rate\nfrom . import tax\nfrom .tax import rate as of\n\nCURRENCY = 'EUR'\n\n\nclass Cart(object):\n    items: list = []\n\n    def __init__(self, owner):\n        self.owner = owner\n\n    def total(self, country):\n        \"\"\"Sums up the prices of all items with their tax.\n\n        :param country: where it is bought\n        \"\"\"\n        return sum(self.price(item) for item in self.items) * (1 + rate(country))\n\n    def price(self, item):\n        return item[0]\n\n    def unrelated(self):\n        return sys.argv\n\n\ndef show(value):\n    \"\"\"Writes a value as one line of text.\"\"\"\n    return json.dumps(value, indent=2) + CURRENCY\n\n\ndef plain(a, b):\n    # Not a docstring.\n    return a + b\n\n\ndef later():\n    raise NotImplementedError('soon')\n\n\ndef by_module(x):\n    return tax.rate(x) + of(x)\n",
    ),
    ("tests/test_cart.py", "def test_it():\n    assert True\n"),
    ("old.py", "def shout(x):\n    print \"x\", x\n"),
    ("broken.py", "def f(:\n"),
];

#[test]
fn functions_of_a_project_stand_with_what_they_need() {
    let extracted = extract_of(&PROJECT, &ExtractConfig::default());
    let total = function(&extracted, "Cart.total");
    assert_eq!(total.language, Language::PYTHON);
    assert_eq!(
        total.text,
        "def total(self, country):\n    return sum(self.price(item) for item in self.items) * (1 + rate(country))"
    );
    assert_eq!(
        total.docs[0].text,
        "Sums up the prices of all items with their tax.\n\n:param country: where it is bought"
    );
    assert_eq!(total.references.functions, ["price", "rate"]);
    assert_eq!(total.references.types, ["Cart"]);
    let closure = &total.closure;
    expect_test::expect![[r"
        import math

        _BASE = 0.19

        def rate(country):
            return _BASE if country == 'de' else math.pi

        class Cart(object):
            items: list = []

            def __init__(self, owner):
                self.owner = owner

            def total(self, country):
                return sum(self.price(item) for item in self.items) * (1 + rate(country))

            def price(self, item):
                return item[0]
    "]]
    .assert_eq(&closure.text);
    assert_eq!(closure.target.dedented(&closure.text), total.text);
    let helpers: Vec<String> = closure
        .helpers
        .iter()
        .map(|helper| helper.span.dedented(&closure.text))
        .collect();
    assert!(helpers[0].starts_with("def rate(country):\n    return"));
    assert_eq!(helpers[1], "def price(self, item):\n    return item[0]");
    let rate = function(&extracted, "rate");
    assert_eq!(closure.helpers[0].function_id, rate.id);

    assert_eq!(
        Group::of(&function(&extracted, "plain").references),
        Group::Group1
    );
    let show = function(&extracted, "show");
    assert_eq!(Group::of(&show.references), Group::Group2);
    assert_eq!(
        show.closure.text,
        "import json\n\nCURRENCY = 'EUR'\n\ndef show(value):\n    return json.dumps(value, indent=2) + CURRENCY\n"
    );
    let by_module = function(&extracted, "by_module");
    assert_eq!(by_module.references.functions, ["of", "tax.rate"]);
    assert_eq!(by_module.closure.helper_external, ["of", "tax.rate"]);
    assert!(
        by_module
            .closure
            .text
            .starts_with("from . import tax\nfrom .tax import rate as of\n")
    );
    for function in &extracted.kept {
        Module::parse(&function.closure.text).unwrap();
    }
}

#[test]
fn what_is_no_function_to_ask_for_has_a_reason() {
    let extracted = extract_of(&PROJECT, &ExtractConfig::default());
    let reason = |name: &str| {
        let mut rows = extracted.set_aside.iter();
        let row = rows.find(|row| {
            let path = row
                .origin
                .as_ref()
                .is_some_and(|origin| origin.path == name);
            path || row.name.as_deref() == Some(name)
        });
        row.map(|row| row.reason)
    };
    assert_eq!(reason("later"), Some(Reason::NoBody));
    assert_eq!(reason("tests/test_cart.py"), Some(Reason::FileTest));
    assert_eq!(reason("old.py"), Some(Reason::Python2));
    assert_eq!(reason("broken.py"), Some(Reason::ParseError));
    assert!(extracted.balances());
    let small = ExtractConfig {
        max_closure_bytes: 60,
        ..ExtractConfig::default()
    };
    let extracted = extract_of(&PROJECT, &small);
    let mut rows = extracted.set_aside.iter();
    let row = rows
        .find(|row| row.name.as_deref() == Some("total"))
        .unwrap();
    assert_eq!(row.reason, Reason::ClosureTooLarge);
}

#[test]
fn a_name_that_would_mean_two_things_stays_an_import() {
    let files = [
        (
            "a.py",
            "from b import g\n\ndef f():\n    return g() + h()\n\ndef h():\n    return 1\n",
        ),
        (
            "b.py",
            "def g():\n    return h()\n\ndef h():\n    return 2\n",
        ),
    ];
    let extracted = extract_of(&files, &ExtractConfig::default());
    let mut of_a = extracted
        .kept
        .iter()
        .filter(|function| function.origin.path == "a.py");
    let f = of_a.find(|function| function.name == "f").unwrap();
    assert_eq!(
        f.closure.text,
        "from b import g\n\ndef f():\n    return g() + h()\n\ndef h():\n    return 1\n"
    );
    assert_eq!(f.closure.helper_external, ["g"]);
    assert_eq!(f.references.functions, ["g", "h"]);
}

#[test]
fn imports_in_circles_come_to_an_end() {
    let files = [
        (
            "a.py",
            "from b import g, x\n\ndef f():\n    return g() + 1\n\ndef k():\n    return x\n",
        ),
        (
            "b.py",
            "from a import f, x\n\ndef g():\n    return f() + 2\n",
        ),
    ];
    let extracted = extract_of(&files, &ExtractConfig::default());
    let f = function(&extracted, "f");
    assert_eq!(
        f.closure.text,
        "def g():\n    return f() + 2\n\ndef f():\n    return g() + 1\n"
    );
    // Neither of them has it.
    assert!(
        function(&extracted, "k")
            .closure
            .text
            .starts_with("from b import x\n")
    );
}

#[test]
fn what_only_decorates_stays_an_import() {
    let files = [
        (
            "a.py",
            "from b import logged, g\n\n@logged\ndef f():\n    return g()\n\n@logged\ndef k():\n    return logged\n",
        ),
        (
            "b.py",
            "def logged(f):\n    return f\n\ndef g():\n    return 1\n",
        ),
    ];
    let extracted = extract_of(&files, &ExtractConfig::default());
    let f = function(&extracted, "f");
    assert!(
        f.closure.text.starts_with("from b import logged\n\ndef g"),
        "{}",
        f.closure.text
    );
    assert_eq!(f.references.functions, ["g", "logged"]);
    assert!(
        function(&extracted, "k")
            .closure
            .text
            .starts_with("def logged(f):")
    );
}

#[test]
fn lines_end_with_carriage_returns_alone_too() {
    let texts = [
        ("old.py", "# one\r# two\rdef f(a):\r    return a  # three\r"),
        (
            "new.py",
            "# one\r\n# two\r\ndef g(a):\r\n    return a  # three\r\n",
        ),
    ];
    let extracted = extract_of(&texts, &ExtractConfig::default());
    assert!(extracted.set_aside.is_empty(), "{:#?}", extracted.set_aside);
    for (name, text) in [
        ("f", "def f(a):\r    return a"),
        ("g", "def g(a):\r\n    return a"),
    ] {
        assert_eq!(function(&extracted, name).text, text);
    }
}
