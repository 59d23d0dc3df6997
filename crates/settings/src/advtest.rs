//! `advtest` and `advtest-tokens`: the names of `CodeSearchNet` `AdvTest` (`GenCodeSearchNet`, section 3.1), for Python.
//!
//! *What it changes.* The function becomes `Func`, its parameters and the names that it binds become `arg_0`,
//! `arg_1`, … Its docstring is gone, as in all settings.
//!
//! *What it must keep.* Called functions, attributes, globals and imports. `advtest` goes by scopes and is proven as other
//! renamings of Python are; `advtest-tokens` goes by spelling, as the published texts do, and proves nothing.
//!
//! *Where it applies.* Functions of Python.
//!
//! *Example.* `def area(width): return width ** 2` becomes `def Func(arg_0): return arg_0 ** 2`.
//!
//! *Difference to `AdvTest`.* The published code keeps the docstring, which is the query.

use barecode_python::{AdvTest, Module, advtest};
use barecode_records::{HelperSpan, Language, Proof, Reason, Renaming, Scheme, Unit, Variant};

use crate::rename::gives_back;

/// The view of a scheme on names, if it is one of these.
pub(crate) fn of_scheme(scheme: Scheme) -> Option<AdvTest> {
    match scheme {
        Scheme::AdvTest => Some(AdvTest::Scopes),
        Scheme::AdvTestTokens => Some(AdvTest::Tokens),
        _ => None,
    }
}

/// A unit under these names.
pub(crate) fn variant(unit: &Unit, by: AdvTest) -> Result<Variant, (Reason, String)> {
    if unit.language != Language::PYTHON {
        let language = barecode_languages::title(unit.language);
        return Err((Reason::SettingOtherLanguage, language.to_owned()));
    }
    let unsafe_ = |error: barecode_python::Unparsable| (Reason::RenameUnsafe, error.to_string());
    let normalized = advtest(&unit.text, by).map_err(unsafe_)?;
    if by == AdvTest::Scopes {
        let failed = |detail: &str| (Reason::ProofFailed, detail.to_owned());
        if !gives_back(&normalized.text, &unit.text, &normalized.replaced) {
            return Err(failed("undoing it does not give back the unit"));
        }
        let before = Module::parse(&unit.text).map_err(unsafe_)?;
        let after = Module::parse(&normalized.text).map_err(unsafe_)?;
        if !before.scopes().same_bindings(after.scopes()) {
            return Err(failed("a name is bound elsewhere"));
        }
    }
    let mut all = String::new();
    let mut add = |text: &str| crate::append::append(&mut all, text);
    let helpers = unit.closure.helpers.iter().map(|helper| HelperSpan {
        span: add(helper.span.of(&unit.closure.text)),
        ..helper.clone()
    });
    let helpers = helpers.collect();
    let renamed = normalized.renamed.into_iter();
    Ok(Variant {
        target: add(&normalized.text),
        helpers,
        compiled_text: all,
        text: normalized.text,
        renamed: renamed
            .map(|(from, to, role)| Renaming { from, to, role })
            .collect(),
        proof: match by {
            AdvTest::Scopes => Proof::Text,
            AdvTest::Tokens => Proof::Imitation,
        },
        ..crate::standard::standard(unit)
    })
}
