//! Speaker turns (`.rttm`): `SPEAKER recording channel start duration <NA> <NA> name <NA> <NA>`.

use super::{ReferenceError, Result, check_speakers, seconds, shortened};
use crate::diarization::Turn;

/// Reads the turns. If some are of the recording with this name, only those. Lines of other types are ignored.
pub fn read_rttm(text: &str, recording: &str) -> Result<Vec<Turn>> {
    let mut turns = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        if line.split_whitespace().next() == Some("SPEAKER") {
            turns.push(turn(line).ok_or_else(|| {
                let problem = format!(
                    "`{}` is not a turn: SPEAKER RECORDING CHANNEL START DURATION <NA> <NA> NAME",
                    shortened(line)
                );
                ReferenceError::line(index, problem)
            })?);
        }
    }
    if turns.is_empty() {
        return Err(ReferenceError::Empty("turns"));
    }
    if turns.iter().any(|(name, _)| *name == recording) {
        turns.retain(|(name, _)| *name == recording);
    }
    let turns: Vec<Turn> = turns.into_iter().map(|(_, turn)| turn).collect();
    check_speakers(&turns)?;
    Ok(turns)
}

fn turn(line: &str) -> Option<(&str, Turn)> {
    let fields: Vec<&str> = line.split_whitespace().take(8).collect();
    let start = seconds(fields.get(3)?)?;
    let duration = seconds(fields.get(4)?)?;
    Some((fields[1], Turn::new(fields.get(7)?, start, start + duration)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_have_speakers_and_times() {
        let text = "SPKR-INFO call 1 <NA> <NA> <NA> unknown anna <NA> <NA>\n\
                    SPEAKER call 1 6.690 0.430 <NA> <NA> speaker90 <NA> <NA>\nSPEAKER other 1 1 2 <NA> <NA> x <NA> <NA>\n";
        let turns = read_rttm(text, "call").unwrap();
        assert_eq!((turns.len(), turns[0].speaker.as_str(), turns[0].start), (1, "speaker90", 6.69));
        assert!((turns[0].end - 7.12).abs() < 1e-9);
        assert_eq!(read_rttm(text, "renamed").unwrap().len(), 2);
    }

    #[test]
    fn broken_turns_are_named() {
        for line in [
            "SPEAKER a 1 x 1 <NA> <NA> b",
            "SPEAKER a 1 1 -1 <NA> <NA> b",
            "SPEAKER a 1 nan 1 <NA> <NA> b",
            "SPEAKER a 1 0 1",
        ] {
            let error = read_rttm(&format!("\n{line}\n"), "a").unwrap_err();
            assert!(error.to_string().starts_with("line 2: "), "{line}: {error}");
        }
    }

    #[test]
    fn a_file_with_too_many_speakers_is_refused() {
        let line = |nth: usize| format!("SPEAKER a 1 {nth} 1 <NA> <NA> s{nth}\n");
        let text: String = (0..1001).map(line).collect();
        assert_eq!(read_rttm(&text, "a"), Err(ReferenceError::TooManySpeakers));
    }
}
