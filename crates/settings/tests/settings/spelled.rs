//! Renaming by spelling: one map for a whole source, and what of it stays.

use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use barecode_corpus::spellings::{SourceNames, Spellings, source_names};
use barecode_corpus::{Dialects, ExtractConfig, StandardHeaders, check_read, extract};
use barecode_languages::library_names::library;
use barecode_records::{Language, Proof, Reason, Setting, SourceName, Unit, Variant};
use barecode_settings::{SourceMaps, vary};
use barecode_sources::{Source, SourceConfig};
use tempfile::TempDir;

use super::no_compilers;

/// The units of a folder, its names, and what a setting makes of the units.
fn spelled(folder: &Path, settings: &[&str]) -> (Vec<Unit>, Vec<SourceName>, Vec<Variant>) {
    let config = SourceConfig {
        from: "path:.".to_owned(),
        ..SourceConfig::default()
    };
    let source = Source::resolve(&config, folder).unwrap();
    let none = Dialects {
        c: StandardHeaders::new(Language::C, "", []),
        cpp: None,
    };
    let config = ExtractConfig::default();
    let units = check_read(&extract(&source, &config, &none, 3).kept);
    assert!(units.set_aside.is_empty(), "{:?}", units.set_aside);
    let names: Vec<SourceName> = source_names(&source, &config).rows().collect();
    let draws: Vec<(Setting, Option<u32>)> = settings
        .iter()
        .map(|setting| setting.parse().unwrap())
        .map(|setting: Setting| (setting, setting.is_seeded().then_some(1)))
        .collect();
    // As they come back from their table.
    let label = source.config().name();
    let read = SourceNames::of_rows(label, |see| {
        names.iter().for_each(see);
        Ok::<(), Infallible>(())
    });
    let read = read.unwrap();
    assert_eq!(read.rows().collect::<Vec<_>>(), names);
    let maps = read.into_languages().into_iter().map(|spellings| {
        let language = spellings.language();
        (language, Arc::new(SourceMaps::of(label, spellings)))
    });
    let mut maps: BTreeMap<Language, Arc<SourceMaps>> = maps.collect();
    for unit in &units.kept {
        let none = || Arc::new(SourceMaps::of(label, Spellings::none(unit.language)));
        maps.entry(unit.language).or_insert_with(none);
    }
    let of_unit = |unit: &Unit| maps.get(&unit.language).cloned();
    let varied = vary(&units.kept, &draws, 5, &of_unit, no_compilers).unwrap();
    assert!(varied.set_aside.is_empty(), "{:?}", varied.set_aside);
    (units.kept, names, varied.kept)
}

fn of_files(files: &[(&str, &str)], setting: &str) -> (Vec<Unit>, Vec<Variant>) {
    let folder = TempDir::new().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let (units, _, variants) = spelled(folder.path(), &[setting]);
    (units, variants)
}

/// The text of the function of a name under a setting.
fn text_of(files: &[(&str, &str)], name: &str, setting: &str) -> String {
    let (units, variants) = of_files(files, setting);
    let unit = units.iter().find(|unit| unit.name == name).unwrap();
    let mut of_unit = variants.iter().filter(|one| one.unit_id == unit.id);
    of_unit.next().unwrap().text.clone()
}

const PACKAGE: &[(&str, &str)] = &[
    ("shop/__init__.py", "from .cart import Cart\n"),
    (
        "shop/prices.py",
        "def round_price(price, digits=2):\n    return round(price, digits)\n",
    ),
    (
        "shop/cart.py",
        "import json\nimport logging\nfrom requests import Session\nfrom . import prices\n\nlog = logging.getLogger(__name__)\n\n\n\
         class Cart:\n    def __init__(self, owner, session: Session):\n        self.owner = owner\n        self.items = []\n\
         \x20       self.session = session\n\n    def add(self, item):\n        self.items.append(item)\n        log.info('add %s', item)\n\n\
         \x20   def total(self):\n        return prices.round_price(sum(item.price for item in self.items), digits=2)\n\n\
         \x20   def read(self, other):\n        other.read()\n        return json.dumps({'owner': self.owner, 'add': getattr(other, 'owner')})\n",
    ),
];

#[test]
fn attributes_methods_and_arguments_change_in_every_function_of_a_package() {
    let total = text_of(PACKAGE, "total", "neutralized");
    let add = text_of(PACKAGE, "add", "neutralized");
    for name in ["prices", "round_price", "price", "items", "digits", "self"] {
        let words: Vec<&str> = total
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .collect();
        assert!(!words.contains(&name), "{name} in {total}");
    }
    assert!(total.contains("sum(") && add.contains(".append(") && add.contains(".info("));
    // One map: what `items` is called in one function, it is called in the other.
    let items = add
        .split(".append")
        .next()
        .unwrap()
        .rsplit('.')
        .next()
        .unwrap();
    assert!(total.contains(&format!(".{items})")), "{total}\n{add}");
}

#[test]
fn a_name_that_the_library_has_too_stays_where_its_object_is_not_known_and_is_counted() {
    let (units, variants) = of_files(PACKAGE, "neutralized");
    let unit = units.iter().find(|unit| unit.name == "read").unwrap();
    let read = variants.iter().find(|one| one.unit_id == unit.id).unwrap();
    assert!(read.text.contains(".read()") && !read.text.contains("def read"));
    let kept: Vec<(&str, bool)> = read
        .kept
        .iter()
        .map(|kept| (kept.name.as_str(), kept.reason.starts_with("the library")))
        .collect();
    assert_eq!(kept, [("read", true)]);
    assert_eq!(read.own_names_kept, Some(1));
    assert!(read.text.contains("json.dumps") && read.text.contains("'owner'"));
    assert_eq!(read.proof, Proof::Spelled);
}

#[test]
fn names_change_in_literals_where_the_setting_says_so_and_masked_literals_are_empty() {
    let strings = text_of(PACKAGE, "read", "neutralized-strings");
    assert!(
        !strings.contains("owner") && strings.contains("getattr("),
        "{strings}"
    );
    let masked = text_of(PACKAGE, "read", "neutralized-masked");
    assert!(
        masked.contains("{'': ") && masked.contains(", '')"),
        "{masked}"
    );
}

#[test]
fn what_is_imported_where_it_is_installed_and_defined_where_it_is_not_is_the_source_s() {
    let text = "try:\n    from notebooks import interact\nexcept ImportError:\n    def interact(function):\n        \"\"\"Say why.\"\"\"\n\
                \x20       raise ImportError('notebooks', function)\n\n\ndef show(scale):\n    return interact(scale)\n";
    for name in ["interact", "show"] {
        let changed = text_of(&[("palette.py", text)], name, "neutralized");
        assert!(!changed.contains("interact"), "{changed}");
    }
}

#[test]
fn members_of_a_type_whose_name_the_library_has_too_are_not_certainly_the_source_s() {
    let entry = "module Entry\n  class File\n    def join(other)\n      self.path + other\n    end\n  end\nend\n";
    let site = "def find(parts)\n  File.join(parts)\nend\n";
    let files = [("entry.rb", entry), ("site.rb", site)];
    let changed = text_of(&files, "find", "neutralized");
    assert!(
        changed.contains("File.join(") && !changed.contains("find"),
        "{changed}"
    );
    let csharp = "enum Size { Small }\n\nclass Box {\n    public Size? Value;\n    public bool HasValue => true;\n\n\
                  \x20   bool Fits(Size? size) {\n        return size.HasValue && size.Value == Size.Small;\n    }\n}\n";
    let changed = text_of(&[("Box.cs", csharp)], "Fits", "neutralized");
    assert!(
        changed.contains(".HasValue") && changed.contains(".Value"),
        "{changed}"
    );
    assert!(!changed.contains("Small"), "{changed}");
}

/// In each language a function that calls its library and another package, in which nothing is the source's but its own names.
const CALLS: &[(&str, &str, &[&str])] = &[
    (
        "load.py",
        "import json\nimport pandas as pd\nfrom yaml import safe_load\n\n\ndef load(path):\n    frame = pd.read_csv(path, quoting=3).dropna()\n\
         \x20   with open(path) as file:\n        return json.loads(file.read()), safe_load(file), frame.iloc\n",
        &["json", "loads", "open", "read"],
    ),
    (
        "load.go",
        "package load\n\nimport (\n\t\"os\"\n\n\t\"github.com/spf13/viper\"\n)\n\nfunc Load(path string) (string, error) {\n\
         \tviper.SetConfigFile(path)\n\tdata, err := os.ReadFile(path)\n\treturn string(data), err\n}\n",
        &["os", "ReadFile", "string", "error"],
    ),
    (
        "Load.java",
        "import java.util.List;\nimport com.google.common.collect.ImmutableList;\n\nclass Load {\n    List<String> load(String path) {\n\
         \x20       ImmutableList<String> lines = ImmutableList.copyOf(path.split(\",\"));\n        System.out.println(lines.size());\n\
         \x20       return lines.reverse();\n    }\n}\n",
        &["List", "String", "split", "System", "out", "println"],
    ),
    (
        "load.js",
        "const fs = require('fs');\nconst axios = require('axios');\n\nfunction load(path) {\n  console.log(fs.readFileSync(path));\n\
         \x20 return axios.get(path).then((found) => found.interceptors.map(String));\n}\nmodule.exports = { load };\n",
        &[
            "console",
            "log",
            "fs",
            "readFileSync",
            "then",
            "map",
            "String",
        ],
    ),
    (
        "load.rs",
        "use std::fs::File;\nuse anyhow::Context;\n\npub fn load(path: &str) -> anyhow::Result<File> {\n\
         \x20   let file = File::open(path).context(\"no file\")?;\n    tracing::instrumented!(path);\n    Ok(file)\n}\n",
        &["File", "open", "Ok", "str"],
    ),
    (
        "load.php",
        "<?php\nuse GuzzleHttp\\Client;\n\nfunction load($path) {\n    $client = new Client(['base_uri' => $path]);\n\
         \x20   return json_decode($client->requestAsync($path), true) + strlen($path);\n}\n",
        &["json_decode", "strlen", "true"],
    ),
    (
        "load.rb",
        "require 'nokogiri'\n\ndef load_page(path)\n  page = Nokogiri.parse_fragment(File.read(path))\n  puts page.at_css_first\n  page\nend\n",
        &["File", "read", "puts"],
    ),
    (
        "load.R",
        "load_table <- function(path) {\n  table <- readr::read_csv(path)\n  dplyr::mutate_all(table, toupper)\n  paste0(path, nrow(table))\n}\n",
        &["toupper", "paste0", "nrow"],
    ),
];

#[test]
fn what_the_text_shows_to_be_the_library_s_stays_though_the_source_has_the_name() {
    // A language's file, a function of it, what stays and what changes there.
    type Case<'a> = (&'a str, &'a str, &'a str, &'a [&'a str], &'a [&'a str]);
    let cases: [Case<'_>; 6] = [
        (
            "a.go",
            "package shop\n\nimport (\n\t\"errors\"\n\t\"net/http\"\n)\n\ntype Handler struct{ ServeHTTP int }\n\n\
             func list(errors []error) []error { return errors }\n\n\
             func load(next http.Handler, own Handler) (*http.Server, int, error) {\n\tnext.ServeHTTP(nil, nil)\n\
             \treturn &http.Server{Handler: next}, own.ServeHTTP, errors.New(\"no\")\n}\n",
            "load",
            &[".ServeHTTP(nil", "http.Server{Handler:", "errors.New("],
            &["own", "load", "next"],
        ),
        (
            "src/a.rs",
            "pub struct Shop { std: u32 }\n\nmod parse { pub fn io() -> Option<super::Shop> { None } }\n\n\
             impl Shop {\n    pub fn name_short(&self) -> u32 { self.std }\n}\n\n\
             pub fn load() -> Option<std::io::Error> {\n    let Some(shop) = crate::parse::io() else { return None };\n\
             \x20   let _ = shop.name_short();\n    std::env::var_os(\"A\");\n    None\n}\n",
            "load",
            &["Option<std::io::Error>", "std::env::var_os"],
            &["name_short", "parse", "shop", "load"],
        ),
        (
            "A.java",
            "class A {\n  enum Kind { ONE; }\n  Kind kind;\n  String load(A other) { return other.toString() + kind; }\n\
             \x20 @Override public String toString() { return load(this); }\n}\n",
            "load",
            &[".toString()"],
            &["other", "kind", "load"],
        ),
        (
            "A.cs",
            "using System.Reflection;\nrecord Place(int MemberInfo);\nclass A {\n\
             \x20 MemberInfo Load(MemberInfo given, Place place) { return place.MemberInfo > 0 ? given : null; }\n}\n",
            "Load",
            &["MemberInfo "],
            &["given", "place", "Load"],
        ),
        (
            "a.rb",
            "LIMITS = [1, 2].freeze\n\nclass Shop\n  def include?(item)\n    true\n  end\n\n  def empty?\n    false\n  end\n\n\
             \x20 def token\n    ''\n  end\n\n  def new(item)\n    item\n  end\n\n\
             \x20 def load(item)\n    LIMITS.include?(item) || token.empty? || Shop.new(item)\n  end\nend\n",
            "load",
            &[".include?(", ".empty?", ".new("],
            &["LIMITS", "token", "item", "load"],
        ),
        (
            "R/a.R",
            "cli <- 1\nload_all <- function(x) {\n  cli::cli_abort(x)\n  cli + x\n}\n",
            "load_all",
            &["cli::cli_abort("],
            &["x", "load_all"],
        ),
    ];
    for (path, text, function, stay, change) in cases {
        let found = text_of(&[(path, text)], function, "neutralized");
        for stays in stay {
            assert!(found.contains(stays), "{path}: {stays} in {found}");
        }
        let words: Vec<&str> = (found.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
        for changes in change {
            assert!(!words.contains(changes), "{path}: {changes} in {found}");
        }
    }
}

#[test]
fn names_of_other_packages_change_where_the_setting_takes_them_and_the_library_s_never() {
    let anothers = [
        "pandas",
        "pd",
        "read_csv",
        "dropna",
        "iloc",
        "safe_load",
        "viper",
        "SetConfigFile",
        "ImmutableList",
        "copyOf",
        "axios",
        "interceptors",
        "Context",
        "context",
        "anyhow",
        "tracing",
        "instrumented",
        "Client",
        "requestAsync",
        "Nokogiri",
        "parse_fragment",
        "at_css_first",
        "readr",
        "dplyr",
        "mutate_all",
    ];
    for (path, text, librarys) in CALLS {
        let (units, variants) = of_files(&[(path, text)], "neutralized-foreign");
        assert_eq!((units.len(), variants.len()), (1, 1), "{path}");
        let (_, plain) = of_files(&[(path, text)], "neutralized");
        let words = |text: &str| -> BTreeSet<String> {
            let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            words.map(str::to_owned).collect()
        };
        let (with, without) = (words(&variants[0].text), words(&plain[0].text));
        for name in *librarys {
            assert!(
                with.contains(*name),
                "{path}: {name} in {}",
                variants[0].text
            );
        }
        for name in words(&units[0].text)
            .iter()
            .filter(|name| anothers.contains(&name.as_str()))
        {
            assert!(
                !with.contains(name),
                "{path}: {name} in {}",
                variants[0].text
            );
            assert!(
                without.contains(name),
                "{path}: {name} in {}",
                plain[0].text
            );
        }
        assert_eq!(variants[0].own_names, plain[0].own_names, "{path}");
        assert_eq!(
            variants[0].own_names_kept,
            Some(0),
            "{path}: {:?}",
            variants[0].kept
        );
        // Names of the source have the same new names as without.
        for renaming in &plain[0].renamed {
            assert!(
                variants[0].renamed.contains(renaming),
                "{path}: {renaming:?}"
            );
        }
    }
}

#[test]
fn names_of_other_packages_stay_where_names_change_by_their_bindings() {
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("load.py"), CALLS[0].1).unwrap();
    let (units, _, _) = spelled(folder.path(), &["standard"]);
    let draws = [("neutralized-foreign".parse().unwrap(), None)];
    let varied = vary(&units, &draws, 5, &barecode_settings::bound, no_compilers).unwrap();
    assert!(varied.kept.is_empty());
    let reasons: Vec<Reason> = varied.set_aside.iter().map(|row| row.reason).collect();
    assert_eq!(reasons, [Reason::SettingOtherLanguage]);
}

#[test]
fn one_map_holds_for_a_source_is_one_to_one_and_meets_no_name_of_it() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trees/tests/samples");
    let settings = ["neutralized", "randomized", "shuffled", "adjective-noun"];
    let (units, names, variants) = spelled(&samples, &settings);
    let languages: BTreeMap<_, _> = units.iter().map(|unit| (&unit.id, unit.language)).collect();
    let mut forth: BTreeMap<(Setting, Language, &str), &str> = BTreeMap::new();
    let mut back: BTreeMap<(Setting, Language, &str), &str> = BTreeMap::new();
    let spelled: BTreeSet<(Language, &str)> = names
        .iter()
        .map(|name| (name.language, name.name.as_str()))
        .collect();
    for variant in &variants {
        let language = languages[&variant.unit_id];
        for one in &variant.renamed {
            let key = |name| (variant.setting, language, name);
            let to = *forth.entry(key(one.from.as_str())).or_insert(&one.to);
            let from = *back.entry(key(one.to.as_str())).or_insert(&one.from);
            assert_eq!((to, from), (one.to.as_str(), one.from.as_str()));
            assert!(!spelled.contains(&(language, one.to.as_str())), "{one:?}");
            assert!(!library(language).unwrap().has(&one.to), "{one:?}");
        }
    }
    assert!(forth.len() > 300, "{}", forth.len());
}

#[test]
fn functions_lose_their_own_names_in_every_language() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trees/tests/samples");
    let (units, _, variants) = spelled(&samples, &["neutralized"]);
    let mut stay = BTreeSet::new();
    for (unit, variant) in units.iter().zip(&variants) {
        assert_eq!(unit.id, variant.unit_id);
        let name = unit.name.trim_matches(['`', '?', '!', '=', '#', '@']);
        if !variant.renamed.iter().any(|one| one.from == name) {
            stay.insert((unit.language.name(), unit.name.as_str()));
        }
    }
    // What is left has names that the language gives, or that its library asks for.
    let given: Vec<&str> = stay.iter().map(|(_, name)| *name).collect();
    let expected = [
        "ToString",
        "toString",
        "constructor",
        "__construct",
        "initialize",
        "fmt",
        "constructor",
    ];
    assert_eq!(given, expected);
}

#[test]
fn names_of_another_case_or_form_are_other_names() {
    let files: &[(&str, &str)] = &[(
        "a.py",
        "def size(Size, SIZE, größe):\n    return Size + SIZE + größe\n\n\ndef twice(gro\u{308}ße):\n    return size(1, 2, gro\u{308}ße)\n",
    )];
    let size = text_of(files, "size", "neutralized");
    assert_eq!(size.matches("var_").count(), 6, "{size}");
    assert!(!size.contains("größe") && !size.contains("Size"));
    let twice = text_of(files, "twice", "neutralized");
    assert!(!twice.contains("gro"), "{twice}");
}

#[test]
fn soft_keywords_are_names_where_they_are_names() {
    let files: &[(&str, &str)] = &[(
        "a.py",
        "import re\n\n\ndef find(type, text):\n    match = re.match(type, text)\n    match match:\n        case None:\n            return f'{text!r}'\n    return match.group()\n",
    )];
    let find = text_of(files, "find", "neutralized");
    assert!(
        find.contains("    match var_") && find.contains("re.match(") && find.contains(".group()"),
        "{find}"
    );
    assert!(find.contains("!r}") && !find.contains("match = "), "{find}");
}

#[test]
fn a_source_whose_names_are_all_the_library_s_too_keeps_them_only_where_nothing_shows() {
    let files: &[(&str, &str)] = &[(
        "a.js",
        "class Queue {\n  push(map) { this.length = map.length; return this.pop(map); }\n  pop(map) { return map.slice(0, this.length); }\n}\n",
    )];
    let push = text_of(files, "push", "neutralized");
    assert!(
        !push.contains("push(") && !push.contains("this.length") && !push.contains("this.pop"),
        "{push}"
    );
    assert!(push.contains(".length;"), "{push}");
}

#[test]
fn fifty_thousand_names_take_no_more_than_moments() {
    let names = (0..50_000).map(|number| format!("NAME_{number} = {number}\n"));
    let mut text: String = names.collect();
    text.push_str("\n\ndef pick(one):\n    return NAME_7 + one\n");
    let pick = text_of(&[("generated_names.py", &text)], "pick", "randomized");
    assert!(!pick.contains("NAME_7") && !pick.contains("pick"), "{pick}");
}

#[test]
fn a_source_that_is_a_package_itself_imports_itself_by_its_name() {
    let files: &[(&str, &str)] = &[
        (
            "__init__.py",
            "from lib.errors import Broken\nfrom lib.parts import Part\n",
        ),
        ("errors.py", "class Broken(Exception):\n    pass\n"),
        (
            "parts.py",
            "from lib.errors import Broken\n\n\nclass Part:\n    def check(self):\n        raise Broken(self)\n",
        ),
    ];
    let check = text_of(files, "check", "neutralized");
    assert!(!check.contains("Broken"), "{check}");
}
