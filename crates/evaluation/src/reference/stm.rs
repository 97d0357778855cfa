//! Segment time marks (`.stm`): recording, channel, speaker, start, end, an optional label, and text.

use super::{Cue, ReferenceError, Result, seconds, shortened};

/// Texts of segments that are not scored.
const IGNORED: [&str; 2] = ["ignore_time_segment_in_scoring", "inter_segment_gap"];

/// Reads the segments in the order of their starts. If some are of the recording with this name, only those.
pub fn read_stm(text: &str, recording: &str) -> Result<Vec<Cue>> {
    let mut segments = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if !line.trim().is_empty() && !line.starts_with(";;") {
            let segment = segment(line).ok_or_else(|| {
                let problem = format!(
                    "`{}` is not a segment: RECORDING CHANNEL SPEAKER START END TEXT",
                    shortened(line)
                );
                ReferenceError::line(index, problem)
            })?;
            segments.push(segment);
        }
    }
    if segments.is_empty() {
        return Err(ReferenceError::Empty("segments"));
    }
    if segments.iter().any(|(name, _)| *name == recording) {
        segments.retain(|(name, _)| *name == recording);
    }
    let mut cues: Vec<Cue> = segments.into_iter().map(|(_, cue)| cue).collect();
    cues.retain(|cue| !IGNORED.contains(&cue.text.to_lowercase().as_str()));
    cues.sort_by(|one, other| one.start.total_cmp(&other.start));
    Ok(cues)
}

/// The recording and the segment of a line.
fn segment(line: &str) -> Option<(&str, Cue)> {
    let mut rest = line.trim_start();
    let mut field = || {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let (field, after) = rest.split_at(end);
        rest = after.trim_start();
        (!field.is_empty()).then_some(field)
    };
    let recording = field()?;
    let _channel = field()?;
    let speaker = field()?;
    let start = seconds(field()?)?;
    let end = seconds(field()?)?;
    let text = rest.trim();
    let text = match text.strip_prefix('<').and_then(|label| label.split_once('>')) {
        Some((_, text)) => text.trim(),
        None => text,
    };
    let cue = Cue { start, end, speaker: Some(speaker.to_owned()), text: text.to_owned() };
    (end >= start).then_some((recording, cue))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_have_speakers_times_and_text() {
        let text = ";; a comment\ncall 1 Sheila 7.6 8.1 <o,f0,female> I didn't - know.\ncall 1 Diane 6.68 7.16 Oh, hello?\n\
                    call 1 inter 9 10 ignore_time_segment_in_scoring\n";
        let cues = read_stm(text, "call").unwrap();
        assert_eq!(cues.len(), 2);
        assert_eq!(cues[0].speaker.as_deref(), Some("Diane"));
        assert_eq!((cues[0].start, cues[0].end, cues[0].text.as_str()), (6.68, 7.16, "Oh, hello?"));
        assert_eq!(cues[1].text, "I didn't - know.");
    }

    #[test]
    fn other_recordings_are_left_out_if_this_one_is_named() {
        let text = "monday A a 0 1 one\ntuesday A a 0 1 two\n";
        assert_eq!(read_stm(text, "tuesday").unwrap()[0].text, "two");
        assert_eq!(read_stm(text, "renamed").unwrap().len(), 2);
    }

    #[test]
    fn broken_lines_are_named() {
        for line in [
            "call 1 Diane 6.68",
            "call 1 Diane x 7 hello",
            "call 1 Diane 7 NaN hello",
            "call 1 Diane 8 7 hello",
        ] {
            let error = read_stm(&format!("call 1 A 0 1 ok\n{line}"), "call").unwrap_err();
            assert!(error.to_string().starts_with("line 2: "), "{line}: {error}");
        }
        assert_eq!(read_stm("\n", "call"), Err(ReferenceError::Empty("segments")));
    }
}
