//! Pointers into the result document, such as `#/tasks/answer/text`.

/// A pointer of the right form, split at its slashes: `#/tasks/a~1b` is `tasks`, `a/b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    segments: Vec<String>,
}

impl Pointer {
    /// `None` unless the text is `#/` and names separated by `/`, with `~` only as `~0` or `~1`.
    pub fn parse(text: &str) -> Option<Self> {
        let names = text.strip_prefix("#/")?.split('/');
        let segments: Option<Vec<String>> = names.map(unescape).collect();
        segments.map(|segments| Self { segments })
    }

    pub fn segment(&self, index: usize) -> Option<&str> {
        self.segments.get(index).map(String::as_str)
    }
}

fn unescape(name: &str) -> Option<String> {
    let mut tildes = name.split('~').skip(1);
    let escapes_are_known = tildes.all(|after| after.starts_with(['0', '1']));
    (!name.is_empty() && escapes_are_known).then(|| name.replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_empty_and_have_only_known_escapes() {
        for valid in ["#/a", "#/a/b", "#/a~1b/~0", "#/a~01"] {
            assert!(Pointer::parse(valid).is_some(), "{valid}");
        }
        for invalid in ["", "#", "#/", "/a", "a", "#a", "#//", "#/a//b", "#/a/", "#/~", "#/a~2", "#/~~0"] {
            assert!(Pointer::parse(invalid).is_none(), "{invalid}");
        }
    }
}
