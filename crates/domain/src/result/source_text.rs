//! The sources of a task as text for a model.
//!
//! Sources are read from the text of the document. A tree of values would need up to 130 times as much memory, and the
//! caller's own fields can be large.

use std::borrow::Cow;

use crate::raw_json::RawJson;

/// The text of the value that a path such as `items/0/x~1y` names in a JSON text; `None` if there is no such value.
pub(super) fn at_path(json: &str, path: Option<&str>) -> Option<String> {
    let whole = RawJson::whole(json).ok()?;
    let names = path.into_iter().flat_map(|path| path.split('/'));
    let value = names.map(unescaped).try_fold(whole, |value, name| child(value, &name))?;
    Some(for_model(value))
}

/// A name in a JSON pointer (RFC 6901): `~1` stands for `/` and `~0` for `~`.
fn unescaped(name: &str) -> Cow<'_, str> {
    match name.contains('~') {
        true => Cow::Owned(name.replace("~1", "/").replace("~0", "~")),
        false => Cow::Borrowed(name),
    }
}

fn child<'a>(parent: RawJson<'a>, name: &str) -> Option<RawJson<'a>> {
    if parent.is_object() {
        return field(parent, name);
    }
    let index: usize = name.parse().ok().filter(|index: &usize| index.to_string() == name)?;
    let found = parent.for_each_item(|at, item| if at == index { Err(item) } else { Ok(()) });
    found.err()
}

fn field<'a>(object: RawJson<'a>, name: &str) -> Option<RawJson<'a>> {
    object.for_each_field(|at, value| if at == name { Err(value) } else { Ok(()) }).err()
}

/// Utterances as lines with their speakers, text as it is, other values as JSON.
fn for_model(value: RawJson<'_>) -> String {
    if let Some(text) = value.string() {
        return text.into_owned();
    }
    let lines = if value.is_array() { spoken(value) } else { None };
    lines.unwrap_or_else(|| value.as_str().to_owned())
}

/// The items as lines, if each has a text.
fn spoken(items: RawJson<'_>) -> Option<String> {
    let mut lines = String::new();
    let read = items.for_each_item(|_, item| {
        let text = field(item, "text").and_then(RawJson::string).ok_or(())?;
        if let Some(speaker) = field(item, "speaker").and_then(RawJson::string) {
            lines.push_str(&speaker);
            lines.push_str(": ");
        }
        lines.push_str(text.trim());
        lines.push('\n');
        Ok::<(), ()>(())
    });
    read.is_ok().then_some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(json: &str, path: &str) -> Option<String> {
        at_path(json, Some(path))
    }

    #[test]
    fn a_path_reads_escaped_names_and_plain_indices() {
        let json = r#"{"items":[{"x/y":1,"~1":"two"}]}"#;
        assert_eq!(at(json, "items/0/x~1y").as_deref(), Some("1"));
        assert_eq!(at(json, "items/0/~01").as_deref(), Some("two"));
        for path in ["items/1", "items/00", "items/-", "items/0/x", "nothing", "", "items/0/x~1y/0"] {
            assert_eq!(at(json, path), None, "{path}");
        }
        assert_eq!(at_path(json, None).as_deref(), Some(json));
    }

    #[test]
    fn items_with_a_text_are_lines_and_others_are_json() {
        let lines = r#"[{"speaker":"A","text":" Hi. "},{"text":"\"Yes\"","own":[1]}]"#;
        assert_eq!(at_path(lines, None).as_deref(), Some("A: Hi.\n\"Yes\"\n"));
        let mixed = r#"[{"text":"Hi."},{"text":7}]"#;
        assert_eq!(at_path(mixed, None).as_deref(), Some(mixed));
        assert_eq!(at_path("[1,2]", None).as_deref(), Some("[1,2]"));
    }
}
