//! The alphabet of byte-level vocabularies, introduced with GPT-2: every byte is written as a printable character.

/// The bytes of a token that is written in this alphabet. Characters outside of it stand for their UTF-8 bytes.
pub fn bytes_of(token: &str) -> Vec<u8> {
    let utf8 = |character: char| character.to_string().into_bytes();
    token
        .chars()
        .flat_map(|character| byte_of(character).map_or_else(|| utf8(character), |byte| vec![byte]))
        .collect()
}

/// Printable bytes stand for themselves. The others are assigned, in order, to the characters from U+0100 on.
fn byte_of(character: char) -> Option<u8> {
    let code = character as u32;
    match code {
        0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff => Some(code as u8),
        0x100..=0x120 => Some((code - 0x100) as u8),
        0x121..=0x142 => Some((code - 0x121 + 0x7f) as u8),
        0x143 => Some(0xad),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_has_its_character() {
        let characters = (0x21u32..=0x143).filter_map(char::from_u32);
        let mut bytes: Vec<u8> = characters.filter_map(byte_of).collect();
        bytes.sort_unstable();
        assert_eq!(bytes, (0..=255).collect::<Vec<u8>>());
        assert_eq!(bytes_of("ĠcafÃ©Ċ"), " café\n".as_bytes());
    }
}
