//! Units to variants: a shard for each shard of `check`.

use std::path::Path;

use barecode_check::Lowerer;
use barecode_records::{Digest, Outcome, SetAside, Stage, Unit, Variant};
use barecode_settings::{Compilers, vary};

use super::{check, finish, programs};
use crate::engine::{Key, Plan, Shard, ShardWriter, Ticket};
use crate::layout::part;
use crate::look::{Before, Look};
use crate::site::{Site, Workshop};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 8;

/// What `vary` would do.
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
    // The compilers of lowered settings are named there, and those of units need not change with them.
    let config = serde_json::to_string(&site.shop.recipe.check)?;
    let draws = site.shop.recipe.draws();
    let labels: Vec<String> = draws
        .iter()
        .map(|(setting, seed)| setting.label(*seed))
        .collect();
    let shards =
        units
            .of_functions()
            .zip(site.slice.first_shard..)
            .map(|((file, ticket), number)| {
                let content = ticket.files.get(file).expect("a ticket lists its own file");
                let key = Key::new(Stage::Vary, CODE)
                    .format::<Variant>()
                    .format::<SetAside>()
                    .field(&config)
                    .field(site.shop.recipe.seed.to_le_bytes())
                    .fields(&labels)
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
                    work: Box::new(move |writer| work(site, file, number, writer)),
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

fn work(site: &Site, file: &Path, number: usize, writer: ShardWriter) -> anyhow::Result<Ticket> {
    let units = site.folder.layout().rows::<Unit>(Stage::Check, [file])?;
    let varied = variants(&site.shop, &units, |done| writer.advance(done))?;
    finish(writer, number, &["variants"], varied)
}

/// The variants of some units under the recipe's settings; `done` hears of each unit's.
pub(crate) fn variants(
    shop: &Workshop,
    units: &[Unit],
    done: impl Fn(u64),
) -> anyhow::Result<Outcome<Vec<Variant>>> {
    let draws = shop.recipe.draws();
    let mut varied = Outcome::counting(["variants"]);
    let compilers = || -> anyhow::Result<Compilers<'_>> {
        Ok(Compilers {
            judge: shop.judge()?,
            lowerers: shop.lowerers()?,
        })
    };
    for unit in units {
        let one = std::slice::from_ref(unit);
        varied.append(vary(one, &draws, shop.recipe.seed, compilers)?);
        done(draws.len() as u64);
    }
    Ok(varied)
}
