//! JSON values as Python source.

use std::fmt::Write as _;

use serde_json::Value;

/// The expression whose value is that of `json.loads`.
pub(super) fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => string(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(python).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| format!("{}: {}", string(name), python(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

/// The same, with the names of an object as whole numbers where all of them are: JSON only has keys that are texts.
pub(super) fn python_with_whole_keys(value: &Value) -> String {
    let Value::Object(fields) = value else {
        return python(value);
    };
    let cells = fields.iter().map(|(name, value)| {
        let number: i64 = name.parse().ok()?;
        Some(format!("{number}: {}", python(value)))
    });
    match cells.collect::<Option<Vec<String>>>() {
        Some(cells) => format!("{{{}}}", cells.join(", ")),
        None => python(value),
    }
}

fn string(text: &str) -> String {
    let mut quoted = String::from("'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('\'');
    quoted
}

#[cfg(test)]
mod tests {
    use super::{python, python_with_whole_keys};

    #[test]
    fn json_is_written_as_python() {
        let value = serde_json::json!([null, true, -1.5, "it's\n\u{0}", {"1": [2]}]);
        assert_eq!(
            python(&value),
            r"[None, True, -1.5, 'it\'s\n\U00000000', {'1': [2]}]"
        );
        let whole = serde_json::json!({"1": 2, "03": 4});
        assert_eq!(python_with_whole_keys(&whole), "{3: 4, 1: 2}");
        let mixed = serde_json::json!({"1": 2, "a": 4});
        assert_eq!(python_with_whole_keys(&mixed), "{'1': 2, 'a': 4}");
    }
}
