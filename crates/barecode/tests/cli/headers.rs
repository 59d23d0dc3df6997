//! Headers that a recipe adds to the lists, and that the compiler is asked once.

use crate::project::{Project, RECIPE};

/// A function whose file includes `<rpc/types.h>`-like headers: one of the lists, and one of none.
const USER: &str = "#include <sys/personality.h>\n#include <net/if_slip.h>\n\n\
    /* Asks the kernel for its mask of personalities, less the flags given. */\n\
    int mask_without(int flags) {\n    int mask = PER_MASK & ~flags;\n    return mask < 0 ? 0 : mask;\n}\n";

fn with_headers(value: &str) -> Project {
    let project = Project::new();
    project.write("extra/mask.c", USER);
    let extract = if value.is_empty() {
        String::new()
    } else {
        format!("\n[extract]\nstandard-headers = {value}\n")
    };
    project.write("recipe.toml", format!("{RECIPE}{extract}"));
    project
}

/// Whether the function passed `check`.
fn compiles(project: &Project) -> bool {
    for verb in ["extract", "check"] {
        let ended = project.run(&[verb, "recipe.toml"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let units = project.run(&["list", "recipe.toml", "--json"]);
    assert_eq!(units.code, Some(0), "{}", units.stderr);
    let ended = project.run(&["check", "recipe.toml", "--json"]);
    let account: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let counts = &account["stages"]["check"]["counts"]["functions"];
    counts["set_aside"]["needs_third_party"] == 0 || counts["set_aside"].get("needs_third_party").is_none()
}

#[test]
fn a_header_of_the_recipe_may_be_included() {
    assert!(compiles(&with_headers("[\"net/if_slip.h\"]")));
    assert!(compiles(&with_headers("{ c = [\"net/if_slip.h\"] }")));
}
