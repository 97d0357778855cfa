//! Fragmented MP4, looked over before the demuxer reads it: a run of samples without a table of its own can claim four
//! thousand million of them in twenty bytes, and the demuxer counts them one by one.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};

/// How far the demuxer looks for the mark of a container.
const DEPTH: u64 = 1 << 20;
const MARK: &[u8; 4] = b"ftyp";
/// The mark is in every MP4 once; whoever repeats it means no good.
const MOST_MARKS: usize = 4;

/// What the beginning of a file tells of MP4.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mp4 {
    /// It begins as none: whatever looks like one further on is not to be trusted.
    No,
    /// Its runs claim no more samples than it has bytes.
    Sound,
    Unsound,
}

/// Leaves the file at its beginning.
pub(super) fn look_over(file: &mut File) -> io::Result<Mp4> {
    file.rewind()?;
    let mut head = Vec::new();
    file.by_ref().take(DEPTH + 8).read_to_end(&mut head)?;
    file.rewind()?;
    // A name in the length's place would be another format's mark.
    if !(head.starts_with(&[0, 0]) && head.get(4..8) == Some(MARK)) {
        return Ok(Mp4::No);
    }
    let marks = head.windows(4).enumerate().filter(|(_, bytes)| bytes == MARK);
    let starts: Vec<u64> = marks.map(|(place, _)| place.saturating_sub(4) as u64).collect();
    let length = file.metadata()?.len();
    let mut boxes = Boxes { file: BufReader::new(&mut *file), place: 0, length, claimed: 0 };
    let mut sound = starts.len() <= MOST_MARKS;
    for start in starts.into_iter().take(MOST_MARKS) {
        boxes.claimed = 0;
        boxes.walk(start..length, &[b"moof", b"traf", b"trun"])?;
        sound &= boxes.claimed <= length;
    }
    file.rewind()?;
    Ok(if sound { Mp4::Sound } else { Mp4::Unsound })
}

struct Boxes<'a> {
    file: BufReader<&'a mut File>,
    /// Where in the file the next byte is read.
    place: u64,
    length: u64,
    /// The samples of all runs.
    claimed: u64,
}

impl Boxes<'_> {
    /// Goes through the boxes of a range, into those of the first name by the other names.
    fn walk(&mut self, range: std::ops::Range<u64>, path: &[&[u8; 4]]) -> io::Result<()> {
        let Some((name, inner)) = path.split_first() else { return self.count(range) };
        let mut place = range.start;
        while range.end.saturating_sub(place) >= 8 && self.claimed <= self.length {
            let Some((found, body)) = self.header(place, range.end)? else { return Ok(()) };
            place = body.end;
            if found == **name {
                self.walk(body, inner)?;
            }
        }
        Ok(())
    }

    /// The name of the box at a place, and where its content lies; none where that is not within the range.
    fn header(&mut self, place: u64, end: u64) -> io::Result<Option<([u8; 4], std::ops::Range<u64>)>> {
        let [length, name] = self.words(place)?;
        let (header, length) = match u32::from_be_bytes(length) {
            0 => (8, end - place),
            1 => {
                let [high, low] = if end - place < 16 { return Ok(None) } else { self.words(place + 8)? };
                (16, u64::from(u32::from_be_bytes(high)) << 32 | u64::from(u32::from_be_bytes(low)))
            }
            length => (8, u64::from(length)),
        };
        let fits = length >= header && length <= end - place;
        Ok(fits.then(|| (name, place + header..place + length)))
    }

    /// A run: its version and flags, then the number of its samples.
    fn count(&mut self, run: std::ops::Range<u64>) -> io::Result<()> {
        if run.end - run.start >= 8 {
            let [_, count] = self.words(run.start)?;
            self.claimed += u64::from(u32::from_be_bytes(count));
        }
        Ok(())
    }

    fn words(&mut self, place: u64) -> io::Result<[[u8; 4]; 2]> {
        self.file.seek_relative(place as i64 - self.place as i64)?;
        let mut words = [[0; 4]; 2];
        for word in &mut words {
            self.file.read_exact(word)?;
        }
        self.place = place + 8;
        Ok(words)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn boxed(name: &[u8; 4], content: &[u8]) -> Vec<u8> {
        [&(8 + content.len() as u32).to_be_bytes(), name.as_slice(), content].concat()
    }

    fn run(samples: u32) -> Vec<u8> {
        boxed(b"trun", &[1_u32.to_be_bytes(), samples.to_be_bytes(), [0; 4]].concat())
    }

    fn fragment(runs: &[u8]) -> Vec<u8> {
        boxed(b"moof", &[boxed(b"mfhd", &[0; 8]), boxed(b"traf", runs)].concat())
    }

    fn verdict(bytes: &[u8]) -> Mp4 {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        let verdict = look_over(&mut file).unwrap();
        assert_eq!(file.stream_position().unwrap(), 0);
        verdict
    }

    fn mp4(rest: &[Vec<u8>]) -> Vec<u8> {
        [boxed(MARK, b"isomiso6"), rest.concat()].concat()
    }

    #[test]
    fn runs_may_claim_as_many_samples_as_there_are_bytes() {
        let media = boxed(b"mdat", &[0; 300]);
        assert_eq!(
            verdict(&mp4(&[fragment(&run(100)), media.clone(), fragment(&run(100)), media])),
            Mp4::Sound
        );
        assert_eq!(verdict(&mp4(&[])), Mp4::Sound);
    }

    #[test]
    fn more_is_unsound_in_one_run_or_in_many_and_wherever_it_begins() {
        assert_eq!(verdict(&mp4(&[fragment(&run(u32::MAX))])), Mp4::Unsound);
        assert_eq!(verdict(&mp4(&[fragment(&run(90).repeat(9))])), Mp4::Unsound);
        let hidden = boxed(b"free", &mp4(&[fragment(&run(u32::MAX))]));
        assert_eq!(verdict(&mp4(&[hidden])), Mp4::Unsound);
        let long = [1_u32.to_be_bytes(), *b"moof", [0; 4], 500_u32.to_be_bytes()].concat();
        let long = [long, boxed(b"traf", &run(u32::MAX)), vec![0; 500]].concat();
        assert_eq!(verdict(&mp4(&[long])), Mp4::Unsound);
        let open = [[0; 4], *b"moof"].concat();
        assert_eq!(verdict(&mp4(&[[open, boxed(b"traf", &run(u32::MAX))].concat()])), Mp4::Unsound);
        assert_eq!(verdict(&[boxed(MARK, &[]), MARK.repeat(20)].concat()), Mp4::Unsound);
    }

    #[test]
    fn what_begins_otherwise_is_none() {
        for bytes in [b"RIFF".as_slice(), b"", b"\0\0", b"ID3\x04ftyp", b"xxxxxxxx\0\0\0\x10ftypisom"] {
            assert_eq!(verdict(bytes), Mp4::No);
        }
    }

    #[test]
    fn boxes_that_do_not_fit_end_the_walk() {
        for length in [2_u32, 7, 9_000] {
            let broken = [length.to_be_bytes().as_slice(), b"moof", &fragment(&run(u32::MAX))].concat();
            assert_eq!(verdict(&mp4(&[broken])), Mp4::Sound, "{length}");
        }
    }
}
