//! Headers that a recipe adds to the lists, and that the compiler is asked once.

use std::fs;

use crate::project::{Project, RECIPE};

/// A header of the lists, and one that no list has, though the C library brings it.
const USER: &str = "#include <sys/personality.h>\n#include <net/if_slip.h>\n\n\
    /* Asks for the mask of personalities in a mode of the line, less the flags. */\n\
    int mask_without(int flags) {\n    int mask = PER_MASK & ~flags;\n    return mask + SL_MODE_CSLIP;\n}\n";

/// How many functions pass `check`, and how many are set aside for want of a header.
fn kept(standard_headers: &str) -> (u64, u64) {
    let project = Project::new();
    project.write("extra/mask.c", USER);
    let extract = format!("{RECIPE}\n[extract]\nstandard-headers = {standard_headers}\n");
    project.write("recipe.toml", extract);
    let extracted = project.run(&["extract", "recipe.toml"]);
    assert_eq!(extracted.code, Some(0), "{}", extracted.stderr);
    let ended = project.run(&["check", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let account: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let counts = &account["stages"]["check"]["counts"]["functions"];
    let lacking = counts["set_aside"]["needs_third_party"].as_u64();
    (counts["kept"].as_u64().unwrap(), lacking.unwrap_or(0))
}

#[test]
fn a_header_of_the_recipe_may_be_included_if_the_compiler_has_it() {
    let (without, lacking) = kept("[]");
    assert_eq!(lacking, 1, "`net/if_slip.h` is in no list");
    assert_eq!(kept("[\"net/if_slip.h\"]"), (without + 1, 0));
    assert_eq!(kept("{ c = [\"net/if_slip.h\"] }"), (without + 1, 0));
    assert_eq!(kept("{ cpp = [\"net/if_slip.h\"] }"), (without, 1));
    assert_eq!(kept("[\"net/nowhere.h\"]"), (without, 1));
}

#[test]
fn a_header_that_is_no_name_is_refused_with_its_line() {
    let project = Project::new();
    for name in ["../secret.h", "/etc/passwd", "a\\nb", ""] {
        let recipe = format!("{RECIPE}\n[extract]\nstandard-headers = [\"{name}\"]\n");
        project.write("recipe.toml", recipe);
        let ended = project.run(&["extract", "recipe.toml"]);
        assert_eq!(ended.code, Some(4), "{name}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("is not the name of a header"),
            "{}",
            ended.stderr
        );
    }
}

#[test]
fn the_page_says_which_units_rest_on_values_that_no_build_gave() {
    let project = Project::new();
    let page = || fs::read_to_string(project.path("runs/shelf/08-report/index.html")).unwrap();
    project.build();
    assert!(!page().contains("rest on assumed values"));
    project.write(
        "extra/kite.h.in",
        "#cmakedefine LOUD\n#cmakedefine01 HAVE_TAIL\n",
    );
    let text = "#include \"kite.h\"\n\n/* The length of the tail of a kite, twice. */\n\
        int tails(int n) {\n    return n * 2 + HAVE_TAIL;\n}\n";
    project.write("extra/kite.c", text);
    project.build();
    let page = page();
    assert!(
        page.contains("Units that rest on assumed values: 1<")
            && page.contains("kite.h from kite.h.in, unsure of HAVE_TAIL"),
        "{page}"
    );
}

#[test]
fn the_answers_that_were_kept_change_nothing() {
    let (kept, fresh) = (Project::new(), Project::new());
    for (project, more) in [(&kept, None), (&kept, None), (&fresh, Some("--no-cache"))] {
        let _ = fs::remove_dir_all(project.path("runs"));
        let arguments: Vec<&str> = ["extract", "recipe.toml"].into_iter().chain(more).collect();
        let ended = project.run(&arguments);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let table = "runs/shelf/01-functions/part-00000.parquet";
    let bytes = |project: &Project| fs::read(project.path(table)).unwrap();
    assert!(
        bytes(&kept) == bytes(&fresh),
        "the answers are part of the key in the table"
    );
}
