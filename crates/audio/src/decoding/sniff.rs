//! Identifies formats by their first bytes, for files that the built-in decoder cannot read.

/// A format that only `ffmpeg` can read. Its demuxer is given explicitly, so that `ffmpeg` never guesses and never opens a
/// playlist with other files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FfmpegFormat {
    pub(super) demuxer: &'static str,
    pub(super) name: &'static str,
}

const ASF: [u8; 8] = [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11];

/// The format, if the built-in decoder does not know it.
pub(super) fn ffmpeg_format(head: &[u8]) -> Option<FfmpegFormat> {
    let starts = |magic: &[u8]| head.starts_with(magic);
    let (demuxer, name) = match () {
        () if starts(b"#!AMR") => ("amr", "AMR"),
        () if starts(&ASF) => ("asf", "WMA"),
        () if starts(b"RIFF") && head.get(8..12) == Some(b"AVI ") => ("avi", "AVI"),
        () if starts(b"FLV\x01") => ("flv", "Flash video"),
        () if starts(b".snd") => ("au", "AU"),
        () if starts(b"wvpk") => ("wv", "WavPack"),
        () if starts(b"MPCK") || starts(b"MP+") => (if starts(b"MPCK") { "mpc8" } else { "mpc" }, "Musepack"),
        () if starts(&[0x0B, 0x77]) => ("ac3", "AC-3"),
        () if starts(&[0, 0, 1, 0xBA]) => ("mpeg", "MPEG program stream"),
        () if is_transport_stream(head) => ("mpegts", "MPEG transport stream"),
        () => return None,
    };
    Some(FfmpegFormat { demuxer, name })
}

/// The name in `ffmpeg` of a container that the built-in demuxer knows.
pub(super) fn container_of(head: &[u8]) -> Option<&'static str> {
    let starts = |magic: &[u8]| head.starts_with(magic);
    match () {
        () if starts(b"RIFF") || starts(b"RF64") => Some("wav"),
        () if starts(b"OggS") => Some("ogg"),
        () if starts(&[0x1A, 0x45, 0xDF, 0xA3]) => Some("matroska"),
        () if head.get(4..8) == Some(b"ftyp") || head.get(4..8) == Some(b"moov") => Some("mov"),
        () if starts(b"caff") => Some("caf"),
        () if starts(b"FORM") => Some("aiff"),
        () if is_mpeg_frame(head) => Some(if head[1] & 0x06 == 0 { "aac" } else { "mp3" }),
        () => None,
    }
}

/// The name of the codec, if the first bytes of the container contain it.
pub(super) fn codec_hint(head: &[u8]) -> Option<&'static str> {
    let contains = |needle: &[u8]| head.windows(needle.len()).any(|window| window == needle);
    match () {
        () if contains(b"Speex   ") => Some("Speex"),
        () if wave_format(head) == Some(0x31) => Some("GSM"),
        () if contains(b"samr") || contains(b"sawb") => Some("AMR"),
        () if contains(b"A_AC3") || contains(b"ac-3") => Some("AC-3"),
        () if contains(b"A_EAC3") || contains(b"ec-3") => Some("E-AC-3"),
        () if contains(b"A_DTS") => Some("DTS"),
        () => None,
    }
}

fn wave_format(head: &[u8]) -> Option<u16> {
    let chunk = head.windows(4).position(|window| window == b"fmt ")?;
    let bytes = head.get(chunk + 8..chunk + 10)?;
    head.starts_with(b"RIFF").then(|| u16::from_le_bytes([bytes[0], bytes[1]]))
}

/// Whether it starts with the eleven bits of an MPEG audio frame, of any layer.
fn is_mpeg_frame(head: &[u8]) -> bool {
    head.first() == Some(&0xFF) && head.get(1).is_some_and(|byte| byte & 0xE0 == 0xE0)
}

fn is_transport_stream(head: &[u8]) -> bool {
    head.len() > 2 * 188 && [0, 188, 376].iter().all(|&at| head.get(at) == Some(&0x47))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amr_and_wma_are_known_by_their_first_bytes() {
        assert_eq!(ffmpeg_format(b"#!AMR\n\x3c").unwrap().demuxer, "amr");
        assert_eq!(ffmpeg_format(&[ASF.as_slice(), &[0; 8]].concat()).unwrap().demuxer, "asf");
        assert_eq!(ffmpeg_format(b"RIFF\0\0\0\0WAVEfmt "), None);
    }

    #[test]
    fn gsm_in_wave_is_named() {
        let head = b"RIFF\0\0\0\0WAVEfmt \x14\0\0\0\x31\0\x01\0";
        assert_eq!(codec_hint(head), Some("GSM"));
        assert_eq!(container_of(head), Some("wav"));
    }
}
