//! Names, numbers, characters and strings to words.

use super::walk::Walker;
use crate::vocabulary::Field;
use crate::words::{
    character_of_literal, first_character, value_of_number, words_of_character, words_of_name,
};

impl<'a> Walker<'_, 'a> {
    pub(super) fn name(&mut self, name: &'a str) {
        if self.types.contains_key(name) {
            if let Some(parameter) = self.parameter(name) {
                self.data(parameter, "read");
            }
            return;
        }
        self.constant_or_name(name);
    }

    pub(super) fn constant_or_name(&mut self, name: &str) {
        if let Some(words) = self.known.and_then(|known| known.value(name)) {
            self.rendering.say(Field::Calls, words);
            return;
        }
        let words = match name {
            "stdout" | "cout" | "wcout" => "standard output console stdout",
            "stderr" | "cerr" | "clog" => "standard error stderr",
            "stdin" | "cin" => "standard input stdin",
            "errno" => "error number errno",
            "EOF" => "end file",
            "SEEK_SET" => "beginning start",
            "SEEK_CUR" => "current",
            "SEEK_END" => "end",
            "INT_MAX" | "LONG_MAX" | "UINT_MAX" | "SIZE_MAX" | "UINT32_MAX" | "INT32_MAX"
            | "ULONG_MAX" | "LLONG_MAX" | "DBL_MAX" | "FLT_MAX" => "maximum limit largest value",
            "INT_MIN" | "LONG_MIN" | "INT32_MIN" | "LLONG_MIN" | "DBL_MIN" | "FLT_MIN" => {
                "minimum limit smallest value"
            }
            "DBL_EPSILON" | "FLT_EPSILON" | "EPSILON" => "epsilon tolerance precision small",
            "M_PI" | "PI" | "M_PI_2" => "pi angle radian",
            "NAN" => "nan not number",
            "INFINITY" | "HUGE_VAL" => "infinity",
            "CHAR_BIT" => "bit byte",
            "npos" => "not found position",
            "EINTR" => "interrupted retry",
            "EINVAL" => "invalid argument error",
            "ENOMEM" => "memory error",
            "EAGAIN" | "EWOULDBLOCK" => "again blocking retry",
            "O_NONBLOCK" => "nonblocking",
            "O_RDONLY" => "read only",
            "EXIT_FAILURE" => "failure exit",
            "EXIT_SUCCESS" => "success exit",
            "__FILE__" => "file name",
            "__LINE__" => "line number",
            _ => "",
        };
        if words.is_empty() {
            self.names(name);
        } else {
            self.rendering.say(Field::Calls, words);
        }
    }

    pub(super) fn number(&mut self, text: &str) {
        let Some(value) = value_of_number(text) else {
            return;
        };
        match value.as_str() {
            "0" => self.rendering.say(Field::Literals, "0 zero"),
            "1" => self.rendering.say(Field::Literals, "1 one"),
            _ => {
                self.rendering.say(Field::Literals, &value);
                if text.starts_with("0x") || text.starts_with("0X") {
                    self.rendering.say(Field::Literals, "hexadecimal");
                    if value.len() > 4 {
                        self.rendering.say(Field::Literals, "constant");
                    }
                } else if value.len() > 4 {
                    self.rendering.say(Field::Literals, "constant");
                }
            }
        }
    }

    pub(super) fn character(&mut self, text: &str) {
        let Some(c) = character_of_literal(text) else {
            return;
        };
        self.rendering.say(Field::Literals, "character");
        self.one_character(c);
    }

    pub(super) fn one_character(&mut self, c: char) {
        let words = words_of_character(c);
        self.rendering.say(Field::Literals, words);
        if c.is_ascii_graphic() {
            self.rendering
                .words
                .push((Field::Literals, format!("'{c}'")));
        }
    }

    pub(super) fn string(&mut self, text: &'a str) {
        let start = text.find('"').unwrap_or(0);
        let inner = text.get(start + 1..).unwrap_or_default();
        let inner = inner.strip_suffix('"').unwrap_or(inner);
        self.rendering.say(Field::Strings, "string literal");
        if inner.is_empty() {
            self.rendering.say(Field::Literals, "empty");
            return;
        }
        let length = inner.chars().count();
        if length == 1 || (length == 2 && inner.starts_with('\\')) {
            if let Some(c) = first_character(inner) {
                self.one_character(c);
            }
            return;
        }
        let mut rest = inner;
        while let Some(at) = rest.find('%') {
            rest = rest.get(at + 1..).unwrap_or_default();
            let kind =
                rest.trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #.*lhzjtL".contains(c));
            let words = match kind.chars().next() {
                Some('d' | 'i' | 'u') => "format integer decimal number",
                Some('x' | 'X' | 'p') => "format hexadecimal",
                Some('s') => "format string",
                Some('c') => "format character",
                Some('f' | 'g' | 'e') => "format floating number",
                _ => "",
            };
            self.rendering.say(Field::Strings, words);
        }
        if inner.contains("\\n") {
            self.rendering.say(Field::Strings, "newline");
        }
        if inner.contains("\\x") || inner.contains("\\u") {
            self.rendering.say(Field::Strings, "byte sequence escape");
        }
        let words = &mut self.rendering.words;
        for part in inner
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|part| !part.is_empty())
            .take(60)
        {
            if part.bytes().all(|byte| byte.is_ascii_digit()) {
                words.push((Field::Strings, part.to_owned()));
            } else {
                words_of_name(part, |word| words.push((Field::Strings, word.to_owned())));
            }
        }
    }
}
