//! `doctor`: which tools are here, and what that enables.

use std::fmt::{self, Write as _};

use barecode_check::{Lowerer, Tool, has_landlock, tools};
use barecode_records::Setting;
use serde_json::json;

use super::call::Call;
use crate::exit::{Exit, Failure};

/// Prints what was found; ends with exit code 5 if something is missing that nothing works without.
pub(super) fn run(call: &Call) -> anyhow::Result<Exit> {
    let tools = tools();
    let missing: Vec<&Tool> = tools.iter().filter(|tool| tool.version.is_none()).collect();
    let required = missing.iter().any(|tool| tool.required);
    let install = install_line(&missing);
    if call.options.json {
        let settings: Vec<_> = Setting::kinds()
            .iter()
            .map(|setting| {
                let enabled = !required && lacks(*setting, &missing).is_empty();
                json!({ "setting": setting, "enabled": enabled })
            })
            .collect();
        call.console.json(&json!({
            "tools": tools,
            "settings": settings,
            "landlock": has_landlock(),
            "install": install,
        }))?;
    } else {
        call.console
            .data(&describe(&tools, &missing, required, install.as_deref())?)?;
    }
    if !required {
        return Ok(Exit::Done);
    }
    let names: Vec<&str> = missing
        .iter()
        .filter(|tool| tool.required)
        .map(|tool| tool.name.as_str())
        .collect();
    let failure = Failure {
        exit: Exit::ToolMissing,
        message: format!("missing: {}", names.join(", ")),
        hint: install,
    };
    Err(failure.into())
}

/// What a setting needs of what is missing.
fn lacks(setting: Setting, missing: &[&Tool]) -> Vec<&'static str> {
    let Setting::Lowered { form, .. } = setting else {
        return Vec::new();
    };
    let needs = Lowerer::needs(form).iter().copied();
    needs
        .filter(|name| missing.iter().any(|tool| tool.name == *name))
        .collect()
}

fn describe(
    tools: &[Tool],
    missing: &[&Tool],
    required_missing: bool,
    install: Option<&str>,
) -> Result<String, fmt::Error> {
    let mut text = String::from("Tools\n");
    let width = tools
        .iter()
        .map(|tool| tool.name.len())
        .max()
        .unwrap_or_default();
    for tool in tools {
        let state = match (&tool.version, tool.required) {
            (Some(version), _) => version.clone(),
            (None, true) => "missing, and needed".to_owned(),
            (None, false) => "missing".to_owned(),
        };
        writeln!(
            text,
            "  {:<width$}  {state}\n  {:<width$}  {}",
            tool.name, "", tool.purpose
        )?;
    }
    text.push_str("\nConfinement\n  ");
    text.push_str(if has_landlock() {
        "landlock: compilers read their own files only\n"
    } else {
        "no landlock in this kernel: compilers would read what you can read, so they run only with \
         `unconfined = true` in `[check]`\n"
    });
    text.push_str("\nSettings\n");
    for setting in Setting::kinds() {
        let lacks = lacks(setting, missing);
        let state = if required_missing {
            "needs a missing tool listed above".to_owned()
        } else if lacks.is_empty() {
            "ready".to_owned()
        } else {
            format!("needs {}", lacks.join(", "))
        };
        writeln!(text, "  {:<26} {state}", setting.to_string())?;
    }
    if let Some(install) = install {
        writeln!(text, "\nTo install missing tools:\n  {install}")?;
    }
    Ok(text)
}

/// Debian's line for the packages that are missing.
fn install_line(missing: &[&Tool]) -> Option<String> {
    let mut packages: Vec<&str> = missing.iter().map(|tool| tool.package.as_str()).collect();
    packages.sort_unstable();
    packages.dedup();
    (!packages.is_empty()).then(|| format!("sudo apt-get install -y {}", packages.join(" ")))
}
