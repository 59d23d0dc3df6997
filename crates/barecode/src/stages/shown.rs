//! Units and variants for queries, documents, cards and pages: the compiled text is many times as long, so it is read a
//! shard at a time and not held. So are the names of sources.

use std::path::Path;

use barecode_audit::OwnNames;
use barecode_records::table::TableError;
use barecode_records::{Span, Stage, Unit, Variant};

use crate::layout::Layout;

/// The names of a run's sources that a renaming is to remove.
pub(crate) fn own_names(layout: Layout<'_>) -> Result<OwnNames, TableError> {
    let mut own = OwnNames::default();
    layout.each_name(&mut |name| own.add(name))?;
    Ok(own)
}

/// Units without the files that were compiled.
pub(super) fn units(
    layout: Layout<'_>,
    files: impl Iterator<Item = impl AsRef<Path>>,
) -> Result<Vec<Unit>, TableError> {
    let mut units = Vec::new();
    for file in files {
        let of_shard: Vec<Unit> = layout.rows(Stage::Check, [file])?;
        units.extend(of_shard.into_iter().map(|mut unit| {
            unit.closure.text = String::new();
            unit.closure.pieces = Vec::new();
            unit
        }));
    }
    Ok(units)
}

/// Returns variants with the parts that are shown of them: of the files that were compiled, the helpers; of the names
/// that were changed or stayed, only their presence.
pub(super) fn variants(
    layout: Layout<'_>,
    files: impl Iterator<Item = impl AsRef<Path>>,
) -> Result<Vec<Variant>, TableError> {
    let mut variants = Vec::new();
    for file in files {
        let of_shard: Vec<Variant> = layout.rows(Stage::Vary, [file])?;
        variants.extend(of_shard.into_iter().map(as_shown));
    }
    Ok(variants)
}

fn as_shown(mut variant: Variant) -> Variant {
    let mut helpers = String::new();
    for helper in &mut variant.helpers {
        let start = helpers.len();
        helpers += helper.span.of(&variant.compiled_text);
        helper.span = Span::from(start..helpers.len());
    }
    variant.compiled_text = helpers;
    variant.renamed.truncate(1);
    variant.renamed.shrink_to_fit();
    variant.kept.truncate(1);
    variant.kept.shrink_to_fit();
    variant
}

#[cfg(test)]
mod tests {
    use barecode_records::{Group, Setting};
    use barecode_testing::made;

    use super::*;

    #[test]
    fn documents_stay_and_the_rest_of_the_file_goes() {
        let unit = made::unit("f", Group::Group3, &["g", "h"]);
        let mut variant = made::variant(&unit, Setting::Standard, None);
        variant.compiled_text = "int x;\nint h() {}\nint y;\nint g() {}\nint f() {}\n".to_owned();
        variant.helpers[0].span = Span::from(25..35);
        variant.helpers[1].span = Span::from(7..17);
        let long = variant.long_text();
        assert!(long.starts_with("int g() {}\n\nint h() {}\n\n"), "{long}");
        let shown = as_shown(variant);
        assert_eq!(shown.long_text(), long);
        assert_eq!(shown.compiled_text, "int g() {}int h() {}");
    }
}
