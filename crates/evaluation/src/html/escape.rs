//! Text in HTML, and paths in links.

/// A text in which nothing is markup.
pub(super) fn text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter if letter.is_control() && letter != '\n' => escaped.push('\u{fffd}'),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// A relative path as a link. A leading `./` keeps a colon in the name from being read as a scheme.
pub(super) fn path(path: &str) -> String {
    use std::fmt::Write;
    let mut link = String::from(if path.starts_with(['/', '.']) { "" } else { "./" });
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => {
                link.push(char::from(byte))
            }
            byte => {
                // Writing to a text cannot fail.
                let _ = write!(link, "%{byte:02X}");
            }
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_is_markup() {
        assert_eq!(text("<b a=\"x\" b='y'>&\u{1b}"), "&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;\u{fffd}");
    }

    #[test]
    fn a_path_is_a_relative_link() {
        assert_eq!(path("a b/ü?#.wav"), "./a%20b/%C3%BC%3F%23.wav");
        assert_eq!(path("javascript:alert(1)"), "./javascript%3Aalert%281%29");
        assert_eq!(path("../x.wav"), "../x.wav");
    }
}
