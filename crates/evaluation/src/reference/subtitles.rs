//! Subtitles: SubRip (`.srt`) and WebVTT (`.vtt`).

use super::{Cue, ReferenceError, Result, seconds, shortened};

/// Reads SubRip subtitles.
pub fn read_srt(text: &str) -> Result<Vec<Cue>> {
    read(text)
}

/// Reads WebVTT subtitles. A voice tag (`<v Anna>`) names the speaker.
pub fn read_vtt(text: &str) -> Result<Vec<Cue>> {
    read(text)
}

/// Both formats have a line with times, then lines of text up to an empty one. Everything else is ignored: numbers,
/// notes, styles and the head of a WebVTT file.
fn read(text: &str) -> Result<Vec<Cue>> {
    let mut cues = Vec::new();
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some((start, end)) = line.split_once("-->") else { continue };
        let (start, end) = times(start, end)
            .ok_or_else(|| ReferenceError::line(index, format!("`{}` are not times", shortened(line))))?;
        let spoken = lines.by_ref().map(|(_, line)| line.trim()).take_while(|line| !line.is_empty());
        let spoken = spoken.collect::<Vec<_>>().join(" ");
        cues.push(Cue { start, end, speaker: voice(&spoken), text: without_tags(&spoken) });
    }
    if cues.is_empty() { Err(ReferenceError::Empty("subtitles")) } else { Ok(cues) }
}

/// The times of a cue. What follows the second one are settings.
fn times(start: &str, end: &str) -> Option<(f64, f64)> {
    let start = clock(start.trim())?;
    let end = clock(end.split_whitespace().next()?)?;
    (end >= start).then_some((start, end))
}

/// `01:02:03,450`, `02:03.450` in seconds.
fn clock(text: &str) -> Option<f64> {
    let text = text.replace(',', ".");
    let parts: Vec<&str> = text.split(':').collect();
    if !(2..=3).contains(&parts.len()) {
        return None;
    }
    let total = parts.iter().try_fold(0.0, |total, part| Some(total * 60.0 + seconds(part)?))?;
    seconds(&total.to_string())
}

/// The speaker of a voice tag.
fn voice(text: &str) -> Option<String> {
    let tag = text.strip_prefix("<v")?;
    let (name, _) = tag.split_once('>')?;
    // Classes may follow the letter: `<v.loud Anna>`.
    let (_, name) = name.split_once(char::is_whitespace)?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The text without tags such as `<i>` and `{\an8}`, and with its escaped characters.
fn without_tags(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut closing = None;
    for letter in text.chars() {
        match (closing, letter) {
            (Some(end), letter) if letter == end => closing = None,
            (Some(_), _) => {}
            (None, '<') => closing = Some('>'),
            (None, '{') => closing = Some('}'),
            (None, letter) => plain.push(letter),
        }
    }
    let escapes = [("&lt;", "<"), ("&gt;", ">"), ("&nbsp;", " "), ("&quot;", "\""), ("&amp;", "&")];
    escapes.iter().fold(plain, |text, (escape, letter)| text.replace(escape, letter)).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srt_has_times_and_text() {
        let text = "\u{feff}1\r\n00:00:01,500 --> 00:00:03,000\r\n<i>Good day,</i>\r\n{\\an8}Anna &amp; Ben.\r\n\r\n2\r\n\
                    01:00:00,000 --> 01:00:01,250\r\nBye.\r\n";
        let cues = read_srt(text).unwrap();
        assert_eq!(cues.len(), 2);
        assert_eq!((cues[0].start, cues[0].end, cues[0].text.as_str()), (1.5, 3.0, "Good day, Anna & Ben."));
        assert_eq!((cues[1].start, cues[1].end, cues[1].text.as_str()), (3600.0, 3601.25, "Bye."));
    }

    #[test]
    fn vtt_has_speakers_and_settings() {
        let text = "WEBVTT\n\nNOTE made by hand\n\nintro\n00:01.000 --> 00:02.000 align:start\n<v.loud Anna>Good day.\n\n\
                    00:02.000 --> 00:04.500\n<v Ben>Hello\nthere.</v>\n";
        let cues = read_vtt(text).unwrap();
        assert_eq!(cues[0].speaker.as_deref(), Some("Anna"));
        assert_eq!((cues[1].speaker.as_deref(), cues[1].text.as_str()), (Some("Ben"), "Hello there."));
        assert_eq!((cues[1].start, cues[1].end), (2.0, 4.5));
    }

    #[test]
    fn broken_times_name_their_line() {
        for times in
            ["00:00:01,5x --> 00:00:02", "1 --> 2", "00:00:05,0 --> 00:00:04,0", "NaN:00 --> 00:01", "-->"]
        {
            let error = read_srt(&format!("1\n{times}\nHello\n")).unwrap_err();
            assert!(error.to_string().starts_with("line 2: "), "{times}: {error}");
        }
        assert_eq!(read_srt("only text"), Err(ReferenceError::Empty("subtitles")));
    }
}
