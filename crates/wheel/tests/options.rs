//! The options of commands as the Python package states them for type checkers: written from the description that the
//! command line has, so that no option is named twice.
//!
//! The test fails if the file differs; with `BARECODE_UPDATE=1` it writes the file.

use std::any::TypeId;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgAction, Command};

/// The commands that are functions in Python, and the options that these name themselves.
const FUNCTIONS: [(&str, &str, &[&str]); 7] = [
    ("audit", "Audit", &[]),
    ("build", "Build", &["out"]),
    ("compare", "Compare", &["measure"]),
    ("convert", "Convert", &["to"]),
    ("eval", "Eval", &["model", "models", "out"]),
    ("stats", "Stats", &[]),
    ("try", "Try", &["model", "out"]),
];

/// Options about how a program prints, which a function does not do.
const PRINTING: [&str; 7] = [
    "json",
    "quiet",
    "color",
    "help",
    "version",
    "no_summary",
    "open",
];

const HEAD: &str = r#""""The options of the functions that are commands, by name; written from the command line's own description."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypedDict

#: A file or a folder.
Path = str | os.PathLike[str]
"#;

fn options() -> String {
    let cli = barecode::command_line();
    let mut text = HEAD.to_owned();
    for (verb, class, named) in FUNCTIONS {
        let command = cli.find_subcommand(verb).expect("each is a command");
        let _ = write!(
            text,
            "\n\nclass {class}Options(TypedDict, total=False):\n    \"\"\"The options of ``barecode {verb}``.\"\"\"\n"
        );
        for argument in arguments(command) {
            let name = name(argument);
            if named.contains(&name.as_str()) || PRINTING.contains(&name.as_str()) {
                continue;
            }
            text.push('\n');
            for line in help(argument) {
                let _ = writeln!(text, "    #: {line}");
            }
            let _ = writeln!(text, "    {name}: {}", kind(argument));
        }
    }
    text
}

/// The arguments of a command that have a name, by name.
fn arguments(command: &Command) -> Vec<&Arg> {
    let mut arguments: Vec<&Arg> = command
        .get_arguments()
        .filter(|argument| argument.get_long().is_some() && !argument.is_hide_set())
        .collect();
    arguments.sort_by_key(|argument| argument.get_long());
    arguments
}

fn name(argument: &Arg) -> String {
    let long = argument.get_long().expect("it has a name");
    // A word of Python's own goes with `_` behind it.
    match long {
        "from" | "with" | "in" => format!("{long}_"),
        _ => long.replace('-', "_"),
    }
}

/// The help of an argument, in lines that fit.
fn help(argument: &Arg) -> Vec<String> {
    let help = argument.get_help().expect("each option has a help");
    let help = help.to_string();
    let mut lines = vec![String::new()];
    for word in help.split_whitespace() {
        let last = lines.last_mut().expect("there is one");
        if last.len() + word.len() > 100 {
            lines.push(word.to_owned());
        } else {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    lines
}

/// The type of the values of an argument in Python.
fn kind(argument: &Arg) -> String {
    if matches!(argument.get_action(), ArgAction::SetTrue) {
        return "bool".to_owned();
    }
    let one = one(argument);
    match argument.get_action() {
        ArgAction::Append => format!("{one} | Sequence[{one}]"),
        _ => one,
    }
}

fn one(argument: &Arg) -> String {
    let values = argument.get_possible_values();
    if !values.is_empty() {
        let values = values
            .iter()
            .map(|value| format!("\"{}\"", value.get_name()));
        return format!("Literal[{}]", values.collect::<Vec<_>>().join(", "));
    }
    let parsed = argument.get_value_parser().type_id();
    let shown = argument.get_value_names().and_then(<[_]>::first);
    let text = match shown.map(clap::builder::Str::as_str) {
        Some("N" | "SEED") => "int",
        Some("DOLLARS" | "SHARE") => "float",
        _ if parsed == TypeId::of::<PathBuf>() => "Path",
        _ => "str",
    };
    text.to_owned()
}

#[test]
fn the_options_in_python_are_those_of_the_command_line() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/barecode/_options.py");
    let wanted = options();
    let found = fs::read_to_string(&path).unwrap_or_default();
    if std::env::var_os("BARECODE_UPDATE").is_some() {
        fs::write(&path, wanted).expect("the package takes files");
    } else {
        assert_eq!(found, wanted, "run the test with BARECODE_UPDATE=1");
    }
}
