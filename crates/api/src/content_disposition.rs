//! The header `Content-Disposition`, which proposes a name for a download.

/// How a browser treats the response.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Disposition {
    /// It saves a file.
    Attachment,
    /// It shows or plays it, and proposes the name if the reader saves it.
    Inline,
}

/// The header with a name in two forms: in ASCII, and with all characters as RFC 5987 writes them.
pub(crate) fn content_disposition(disposition: Disposition, name: &str) -> String {
    let word = match disposition {
        Disposition::Attachment => "attachment",
        Disposition::Inline => "inline",
    };
    format!("{word}; filename=\"{}\"; filename*=UTF-8''{}", ascii(name), encoded(name))
}

/// Quotes and backslashes would end or change the quoted text, and some browsers decode `%`.
fn ascii(name: &str) -> String {
    let is_plain = |c: char| c == ' ' || c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%');
    name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

fn encoded(name: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_written_in_ascii_and_in_full() {
        assert_eq!(
            content_disposition(Disposition::Attachment, "call.srt"),
            "attachment; filename=\"call.srt\"; filename*=UTF-8''call.srt"
        );
        assert_eq!(
            content_disposition(Disposition::Inline, "Zoë 1.wav"),
            "inline; filename=\"Zo_ 1.wav\"; filename*=UTF-8''Zo%C3%AB%201.wav"
        );
    }

    #[test]
    fn no_character_ends_the_header_or_the_quoted_name() {
        let header = content_disposition(Disposition::Attachment, "a\"b\\c\r\nd%0Ae;'.srt");
        assert_eq!(
            header,
            "attachment; filename=\"a_b_c__d_0Ae;'.srt\"; filename*=UTF-8''a%22b%5Cc%0D%0Ad%250Ae%3B%27.srt"
        );
    }
}
