//! `doctor`: the tools that are installed, and what they enable.

mod python;

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use barecode_check::{CheckError, Lowerer, Python, Tool, has_landlock, tools};
use barecode_records::Setting;
use serde_json::json;

use crate::answer::Answer;
use crate::exit::{Exit, Failure};
use crate::session::Session;

/// Looks for tools; ends with exit code 5 if a tool is missing that everything needs.
pub(super) fn run(session: &Session) -> anyhow::Result<Answer> {
    let tools = tools();
    let python = python::look();
    let missing: Vec<&Tool> = tools.iter().filter(|tool| tool.version.is_none()).collect();
    let required = missing.iter().any(|tool| tool.required);
    // Root needs no `sudo`, and often does not have it.
    let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    let install = install_line(&missing, if is_root { "" } else { "sudo " });
    let data = || {
        let setting = |setting: &Setting| {
            let enabled = !required && lacks(*setting, &missing).is_empty();
            json!({ "setting": setting, "enabled": enabled })
        };
        json!({
            "tools": tools,
            "settings": Setting::kinds().iter().map(setting).collect::<Vec<_>>(),
            "landlock": has_landlock(),
            "python": python::described(&python),
            "install": install,
        })
    };
    let found = session.answer(data, |_| {
        Ok(describe(&tools, &missing, &python, install.as_deref())?)
    })?;
    if !required {
        return Ok(found);
    }
    let names = missing.iter().filter(|tool| tool.required);
    let names: Vec<&str> = names.map(|tool| tool.name.as_str()).collect();
    let failure = Failure {
        exit: Exit::ToolMissing,
        message: format!("missing: {}", names.join(", ")),
        hint: install,
    };
    Ok(found.ending(Err(failure.into())))
}

/// Returns the missing tools that a setting needs.
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
    python: &Result<Python, CheckError>,
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
    python::describe(&mut text, python)?;
    text.push_str("\nSettings\n");
    let required_missing = missing.iter().any(|tool| tool.required);
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
        if let Some(other) = other_release(&fs::read_to_string(RELEASE).unwrap_or_default()) {
            writeln!(
                text,
                "  (packages as Debian 12 and newer call them; this is {other})"
            )?;
        }
    }
    Ok(text)
}

/// Returns Debian's command for the packages that are missing. Each is requested separately: if one is not available,
/// `apt-get` installs none of the packages that are named with it.
fn install_line(missing: &[&Tool], sudo: &str) -> Option<String> {
    let packages = missing.iter().flat_map(|tool| tool.package.split(' '));
    let packages: BTreeSet<&str> = packages.collect();
    let packages: Vec<&str> = packages.into_iter().collect();
    match packages[..] {
        [] => None,
        [package] => Some(format!("{sudo}apt-get install -y {package}")),
        _ => Some(format!(
            "for package in {}; do {sudo}apt-get install -y $package; done",
            packages.join(" ")
        )),
    }
}

/// The file in which a Linux system names itself.
const RELEASE: &str = "/etc/os-release";

/// Returns the name of the system, if its packages are not those of Debian 12 and newer, or of a relative.
fn other_release(release: &str) -> Option<String> {
    let field = |name: &str| -> Option<&str> {
        let mut lines = release.lines().filter_map(|line| line.split_once('='));
        let (_, value) = lines.find(|(known, _)| *known == name)?;
        Some(value.trim_matches('"'))
    };
    let id = field("ID").unwrap_or("unknown");
    let version: Option<u32> = field("VERSION_ID").and_then(|version| version.parse().ok());
    let is_old = id == "debian" && version.is_some_and(|version| version < 12);
    let like = field("ID_LIKE").unwrap_or_default();
    let is_like = id == "debian" || like.split(' ').any(|like| like == "debian");
    (is_old || !is_like).then(|| field("PRETTY_NAME").unwrap_or(id).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(package: &str) -> Tool {
        Tool {
            name: package.to_owned(),
            purpose: String::new(),
            version: None,
            package: package.to_owned(),
            required: false,
        }
    }

    #[test]
    fn each_package_is_asked_for_by_itself() {
        let tools = [tool("clang"), tool("b a"), tool("clang")];
        let line = |tools: &[Tool]| install_line(&tools.iter().collect::<Vec<_>>(), "sudo ");
        assert_eq!(line(&[]), None);
        let one = line(&tools[..1]).unwrap();
        assert_eq!(one, "sudo apt-get install -y clang");
        let root = install_line(&[&tools[0]], "").unwrap();
        assert_eq!(root, "apt-get install -y clang");
        let all = line(&tools).unwrap();
        assert_eq!(
            all,
            "for package in a b clang; do sudo apt-get install -y $package; done"
        );
    }

    #[test]
    fn a_release_with_other_packages_is_named() {
        let debian = |version: &str| {
            format!("PRETTY_NAME=\"Debian {version}\"\nID=debian\nVERSION_ID=\"{version}\"\n")
        };
        assert_eq!(other_release(&debian("12")), None);
        assert_eq!(other_release(&debian("11")), Some("Debian 11".to_owned()));
        let ubuntu = "ID=ubuntu\nID_LIKE=debian\nVERSION_ID=\"24.04\"\n";
        assert_eq!(other_release(ubuntu), None);
        assert_eq!(other_release("ID=fedora\n"), Some("fedora".to_owned()));
        assert_eq!(other_release(""), Some("unknown".to_owned()));
    }
}
