//! `standard`: the code as written, its comments removed by the front end. All other settings start from it.

use barecode_records::{Proof, Setting, Unit, Variant};

/// The unit as it is.
pub(crate) fn standard(unit: &Unit) -> Variant {
    Variant {
        id: Variant::id_of(&unit.id, Setting::Standard, None),
        unit_id: unit.id.clone(),
        origin: unit.origin.clone(),
        group: unit.group,
        setting: Setting::Standard,
        draw: None,
        text: unit.text.clone(),
        compiled_text: unit.closure.text.clone(),
        target: unit.closure.target,
        helpers: unit.closure.helpers.clone(),
        renamed: Vec::new(),
        kept: Vec::new(),
        perturbation: None,
        own_names: None,
        own_names_kept: None,
        proof: Proof::Identity,
        toolchain: None,
    }
}
