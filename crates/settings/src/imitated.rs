//! A unit in the form of CLARC's files: its helpers and itself, each renamed by itself. It has no proof.

use barecode_clarc::renamed;
use barecode_records::{HelperSpan, Proof, Scheme, Unit, Variant};

use crate::append::append;
use crate::standard::standard;

pub(crate) fn imitated(unit: &Unit, scheme: Scheme) -> Variant {
    let mut all = String::new();
    let mut add = |text: &str| append(&mut all, text);
    let helpers = unit.closure.helpers.iter().map(|helper| {
        let text = helper.span.of(&unit.closure.text);
        HelperSpan {
            span: add(&renamed(text, scheme, unit.group)),
            ..helper.clone()
        }
    });
    let helpers = helpers.collect();
    let text = renamed(&unit.text, scheme, unit.group);
    Variant {
        target: add(&text),
        helpers,
        text,
        compiled_text: all,
        proof: Proof::Imitation,
        ..standard(unit)
    }
}
