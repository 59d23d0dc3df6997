//! What files are under, from all places that say so.

use barecode_sources::{Source, SourceConfig, license::recognize};
use tempfile::TempDir;

use crate::{config, fill};

/// The text that SPDX publishes, as a project would hold it.
fn text(id: &str) -> String {
    let license = spdx::license_id(id).unwrap();
    license.text().to_owned()
}

fn license(
    files: &[(&str, &[u8])],
    config: &SourceConfig,
    path: &str,
) -> Option<(Option<String>, String)> {
    let base = TempDir::new().unwrap();
    fill(&base.path().join("lib"), files);
    let source = Source::resolve(config, base.path()).unwrap();
    let stated = source.license_of(path)?;
    Some((stated.expression.clone(), stated.from.clone()))
}

#[expect(clippy::unnecessary_wraps, reason = "compared with what may be none")]
fn stated(expression: &str, from: &str) -> Option<(Option<String>, String)> {
    Some((Some(expression.to_owned()), from.to_owned()))
}

#[test]
fn texts_that_projects_use_are_recognized() {
    for id in [
        "MIT",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSD-4-Clause",
        "Apache-2.0",
        "ISC",
        "Zlib",
        "BSL-1.0",
        "Unlicense",
        "CC0-1.0",
        "WTFPL",
        "MPL-2.0",
        "LGPL-2.1-only",
        "LGPL-3.0-only",
        "GPL-2.0-only",
        "GPL-3.0-only",
        "AGPL-3.0-only",
        "curl",
        "NCSA",
        "PSF-2.0",
        "X11",
        "libpng-2.0",
        "MIT-0",
        "blessing",
    ] {
        assert_eq!(recognize(&text(id)).as_deref(), Some(id), "{id}");
    }
    assert_eq!(recognize("All rights reserved. Ask us."), None);
    assert_eq!(recognize(""), None);
}

#[test]
fn a_text_with_another_behind_it_is_the_first_one() {
    let notices = format!(
        "{}\n\nThis product contains parts by others.\n\n{}\n{}",
        text("MIT"),
        text("Apache-2.0"),
        text("Zlib")
    );
    assert_eq!(recognize(&notices).as_deref(), Some("MIT"));
}

#[test]
fn a_text_that_gives_the_choice_is_both_and_a_foreword_names_its_own() {
    let choice = format!(
        "This software is available under 2 licenses -- choose whichever you prefer.\n\nALTERNATIVE A\n{}\n\nALTERNATIVE B\n{}",
        text("MIT"),
        text("Unlicense"),
    );
    assert_eq!(recognize(&choice).as_deref(), Some("MIT OR Unlicense"));
    let foreword = "We are pleased to give this away.\n\nCopyright of all parts is theirs.\n\n\
        The library is licensed under the MIT License, except for the parts below.\n\n\
        Parts come from elsewhere.\n\nA list of them follows.\n\nIt is complete.\n\n";
    let parts = format!("{foreword}{}\n\n{}", text("BSD-3-Clause"), text("Zlib"));
    assert_eq!(recognize(&parts).as_deref(), Some("MIT"));
}

#[test]
fn the_nearest_statement_counts() {
    let plain = config("path:lib");
    let mit = text("MIT");
    let zlib = text("Zlib");
    let header = b"// SPDX-License-Identifier: GPL-2.0+ OR MIT\nint h;\n";
    let files: &[(&str, &[u8])] = &[
        ("LICENSE", mit.as_bytes()),
        ("deep/er/COPYING", zlib.as_bytes()),
        ("a.c", b"int a;\n"),
        ("deep/b.c", b"int b;\n"),
        ("deep/er/c.c", b"int c;\n"),
        ("deep/er/still/d.c", b"int d;\n"),
        ("deep/er/h.c", header),
        ("deep/side.c", b"int s;\n"),
        ("deep/side.c.license", b"SPDX-License-Identifier: CC0-1.0\n"),
    ];
    for (path, wanted) in [
        ("a.c", stated("MIT", "LICENSE")),
        ("deep/b.c", stated("MIT", "LICENSE")),
        ("deep/er/c.c", stated("Zlib", "deep/er/COPYING")),
        ("deep/er/still/d.c", stated("Zlib", "deep/er/COPYING")),
        (
            "deep/er/h.c",
            stated("GPL-2.0-or-later OR MIT", "SPDX header"),
        ),
        ("deep/side.c", stated("CC0-1.0", "deep/side.c.license")),
    ] {
        assert_eq!(license(files, &plain, path), wanted, "{path}");
    }
    let recipe = SourceConfig {
        license: Some("GPLv2+".to_owned()),
        ..plain
    };
    assert_eq!(
        license(files, &recipe, "deep/er/h.c"),
        stated("GPL-2.0-or-later", "recipe")
    );
    assert_eq!(
        license(&[("a.c", b"int a;\n")], &config("path:lib"), "a.c"),
        None
    );
}

#[test]
fn several_license_files_are_a_choice_only_where_they_bear_its_name() {
    let plain = config("path:lib");
    let (mit, apache, zlib) = (text("MIT"), text("Apache-2.0"), text("Zlib"));
    let choice: &[(&str, &[u8])] = &[
        ("LICENSE-MIT", mit.as_bytes()),
        ("LICENSE-APACHE", apache.as_bytes()),
        ("a.c", b""),
    ];
    assert_eq!(
        license(choice, &plain, "a.c"),
        stated("Apache-2.0 OR MIT", "LICENSE-APACHE, LICENSE-MIT")
    );
    let notices: &[(&str, &[u8])] = &[
        ("LICENSE", mit.as_bytes()),
        ("LICENSE.third-party", zlib.as_bytes()),
        ("a.c", b""),
    ];
    assert_eq!(license(notices, &plain, "a.c"), stated("MIT", "LICENSE"));
    let (gpl, lgpl) = (text("GPL-3.0-only"), text("LGPL-3.0-only"));
    let lesser: &[(&str, &[u8])] = &[
        ("COPYING", gpl.as_bytes()),
        ("COPYING.LESSER", lgpl.as_bytes()),
        (
            "a.c",
            b"/* version 3 of the License, or\n * (at your option) any later\n * version. */\n",
        ),
        ("b.c", b""),
    ];
    assert_eq!(
        license(lesser, &plain, "a.c"),
        stated("LGPL-3.0-or-later", "COPYING.LESSER")
    );
    assert_eq!(
        license(lesser, &plain, "b.c"),
        stated("LGPL-3.0-only", "COPYING.LESSER")
    );
}

#[test]
fn a_text_that_nobody_knows_is_named_and_left_open() {
    let files: &[(&str, &[u8])] = &[("LICENSE", b"Be kind, and ask us first.\n"), ("a.c", b"")];
    let found = license(files, &config("path:lib"), "a.c");
    assert_eq!(found, Some((None, "LICENSE".to_owned())));
}

#[test]
fn a_library_inside_a_package_is_under_its_own_license() {
    let base = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let wanted = SourceConfig {
        include: vec!["zstd/lib/**".to_owned()],
        ..config("cargo:zstd-sys")
    };
    let source = Source::resolve(&wanted, base).unwrap();
    let path = "zstd/lib/common/zstd_common.c";
    let stated = source.license_of(path).unwrap();
    assert_eq!(
        stated.expression.as_deref(),
        Some("BSD-3-Clause"),
        "{}",
        stated.from
    );
    assert_eq!(stated.from, "zstd/LICENSE");
}
