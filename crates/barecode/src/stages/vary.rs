//! Units to variants: a shard for each shard of `check`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use barecode_check::{Lowerer, in_order, parts};
use barecode_corpus::spellings::{SourceNames, Spellings, is_spelled};
use barecode_records::{Digest, Outcome, Scope, SetAside, Stage, Unit, Variant};
use barecode_settings::{Compilers, SourceMaps, vary};

use super::{check, finish, programs};
use crate::engine::{Finished, Key, Plan, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::known_maps::Maps;
use crate::layout::{names_of, part};
use crate::look::{Before, Look};
use crate::site::{Site, Workshop};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 15;

/// Returns the plan of `vary`.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, look: Look) -> anyhow::Result<Plan<'a>> {
    let units = &before[&Stage::Check];
    let mut of_functions = units.of_functions();
    let compiles = of_functions.any(|(_, ticket)| check::is_compiled(ticket));
    let tools = match look {
        _ if !compiles => None,
        Look::Folder => None,
        Look::Around | Look::Fetch => {
            let lowerers = site.shop.lowerers()?.values().map(Lowerer::digest);
            let tools = Digest::new("tools").field(site.shop.judge()?.digest());
            Some(tools.fields(lowerers).hex())
        }
    };
    // The compilers of lowered settings are named in it, and those of units need not change with them.
    let config = serde_json::to_string(&site.shop.recipe.check)?;
    let names = names_of_shards(&before[&Stage::Extract]);
    let draws = site.shop.recipe.draws();
    let labels: Vec<String> = draws
        .iter()
        .map(|(setting, seed)| setting.label(*seed))
        .collect();
    let shards = units
        .of_functions()
        .zip(site.slice.first_shard..)
        .zip(names)
        .map(|(((file, ticket), number), (names, digest))| {
            let content = ticket.files.get(file).expect("a ticket lists its own file");
            let key = Key::new(Stage::Vary, CODE)
                .format::<Variant>()
                .format::<SetAside>()
                .field(&config)
                .field(site.shop.recipe.seed.to_le_bytes())
                .fields(&labels)
                .field(site.shop.recipe.scope.name())
                .field(digest)
                .field(&content.digest);
            let is_compiled = check::is_compiled(ticket);
            let key = match &tools {
                Some(tools) if is_compiled => key.tool("compilers", tools),
                _ if look == Look::Folder => key.unseen(),
                _ => key,
            };
            Shard {
                key,
                last: part(number),
                items: content.rows * draws.len() as u64,
                work: Box::new(move |writer| work(site, file, (&names, digest), number, writer)),
            }
        });
    let mut shards: Vec<Shard<'_>> = shards.collect();
    shards.extend(programs::vary::shards(site, units, look)?);
    let pulse = if compiles {
        check::pulse(site, look)?
    } else {
        None
    };
    Ok(Plan {
        pulse,
        ..Plan::new(Stage::Vary, "variants", shards)
    })
}

/// Returns for each shard, in order, the table with the names of its source, and its content.
pub(crate) fn names_of_shards(functions: &Finished) -> Vec<(PathBuf, &str)> {
    let sources = functions.of_functions();
    let sources = sources.zip(check::shards_of_sources(functions));
    let names = sources.flat_map(|((file, ticket), shards)| {
        let names = names_of(file);
        let content = ticket.files.get(&names);
        let digest = content.map_or("", |content| &content.digest);
        shards.map(move |_| (names.clone(), digest))
    });
    names.collect()
}

fn work(
    site: &Site,
    file: &Path,
    (names, digest): (&Path, &str),
    number: usize,
    writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let layout = site.folder.layout();
    let units = layout.rows::<Unit>(Stage::Check, [file])?;
    let maps = match spelled(&site.shop, &units).first() {
        Some(source) => site.shop.known_maps.get(digest, || {
            let names = SourceNames::of_rows(source, |see| layout.each_name_in(names, see))?;
            maps_of(source, Some(names))
        })?,
        None => Arc::default(),
    };
    let varied = variants(&site.shop, &units, &maps, |done| writer.advance(done))?;
    finish(writer, number, &["variants"], varied)
}

/// The sources whose names some units are renamed by; none where the recipe's scope is `bound`.
fn spelled<'u>(shop: &Workshop, units: &'u [Unit]) -> BTreeSet<&'u str> {
    let spelled = units
        .iter()
        .filter(|unit| is_renamed_by_spelling(shop, unit));
    spelled.map(|unit| &*unit.origin.source).collect()
}

fn is_renamed_by_spelling(shop: &Workshop, unit: &Unit) -> bool {
    is_spelled(unit.language) && shop.recipe.scope != Scope::Bound
}

/// Fails if nothing is known of the names of a source that has functions.
fn maps_of(source: &str, names: Option<SourceNames>) -> anyhow::Result<Maps> {
    let Some(names) = names.filter(|names| !names.is_empty()) else {
        let message = format!("the names of `{source}` are not known");
        let hint = "name the source that it was extracted from, or set `scope = \"bound\"` in `[settings]`";
        return Err(Failure::invalid(message).hint(hint).into());
    };
    let languages = names.into_languages().into_iter();
    let maps = languages.map(|spellings| {
        let key = (source.to_owned(), spellings.language());
        (key, Arc::new(SourceMaps::of(source, spellings)))
    });
    Ok(maps.collect())
}

/// Returns the names that some units are renamed by; `read` reads those of a source, if it is known.
pub(crate) fn maps(
    shop: &Workshop,
    units: &[Unit],
    read: impl Fn(&str) -> anyhow::Result<Option<SourceNames>>,
) -> anyhow::Result<Maps> {
    let mut maps = Maps::new();
    for source in spelled(shop, units) {
        maps.extend(maps_of(source, read(source)?)?);
    }
    Ok(maps)
}

/// Returns the variants of some units under the recipe's settings; `done` is called with the number of variants that
/// are decided.
pub(crate) fn variants(
    shop: &Workshop,
    units: &[Unit],
    maps: &Maps,
    done: impl Fn(u64) + Sync,
) -> anyhow::Result<Outcome<Vec<Variant>>> {
    let draws = shop.recipe.draws();
    let compilers = || -> anyhow::Result<Compilers<'_>> {
        Ok(Compilers {
            judge: shop.judge()?,
            lowerers: shop.lowerers()?,
        })
    };
    let names = |unit: &Unit| {
        if !is_renamed_by_spelling(shop, unit) {
            return None;
        }
        let key = (unit.origin.source.clone(), unit.language);
        let none = || Arc::new(SourceMaps::of(&key.0, Spellings::none(key.1)));
        Some(maps.get(&key).cloned().unwrap_or_else(none))
    };
    let texts = units
        .iter()
        .map(|unit| (unit.language, &*unit.closure.text));
    let parts = parts(texts);
    let decided = shop.part_pool.each(&parts, |part| {
        let one = |at: &usize| {
            let unit = std::slice::from_ref(&units[*at]);
            let varied = vary(unit, &draws, shop.recipe.seed, &names, compilers);
            done(draws.len() as u64);
            varied
        };
        part.iter().map(one).collect::<anyhow::Result<Vec<_>>>()
    })?;
    let mut varied = Outcome::counting(["variants"]);
    for of_unit in in_order(parts, decided) {
        varied.append(of_unit);
    }
    Ok(varied)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use barecode_records::{Language, Role, SourceName};

    use super::*;

    #[test]
    fn a_source_is_not_renamed_by_the_names_of_another() {
        let row = SourceName {
            source: "one".to_owned(),
            language: Language::PYTHON,
            name: "run".to_owned(),
            role: Some(Role::Function),
            is_module: false,
            imported_in: Vec::new(),
            is_foreign: false,
            tokens: 1,
        };
        let names = |source: &str| {
            let read = SourceNames::of_rows(source, |see| {
                see(&row);
                Ok::<(), Infallible>(())
            });
            read.unwrap()
        };
        let maps = maps_of("one", Some(names("one"))).unwrap();
        let known: Vec<&(String, Language)> = maps.keys().collect();
        assert_eq!(known, [&("one".to_owned(), Language::PYTHON)]);
        for names in [None, Some(SourceNames::default()), Some(names("other"))] {
            let refused = maps_of("other", names).err().unwrap().to_string();
            assert_eq!(refused, "the names of `other` are not known");
        }
    }
}
