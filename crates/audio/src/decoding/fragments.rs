//! Checks a fragmented MP4 before the demuxer reads it: twenty bytes of a track run can declare four billion samples, and
//! the demuxer counts them one by one.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};

/// How far the demuxer searches for the start of a container.
const DEPTH: u64 = 1 << 20;
const MARK: &[u8; 4] = b"ftyp";
/// Maximum occurrences of the mark. A valid MP4 has one; a file with many is an attack.
const MAX_MARKS: usize = 4;

/// Whether a file is an MP4 that the demuxer can read safely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mp4 {
    /// It does not begin as an MP4, so an MP4 further on is not trusted.
    No,
    /// Its runs declare at most as many samples as it has bytes.
    Plausible,
    Implausible,
}

/// Checks the file and rewinds it.
pub(super) fn check(file: &mut File) -> io::Result<Mp4> {
    file.rewind()?;
    let mut head = Vec::new();
    file.by_ref().take(DEPTH + 8).read_to_end(&mut head)?;
    file.rewind()?;
    // The length of an `ftyp` box is small; other bytes there are the mark of another format.
    if !(head.starts_with(&[0, 0]) && head.get(4..8) == Some(MARK)) {
        return Ok(Mp4::No);
    }
    let marks = head.windows(4).enumerate().filter(|(_, bytes)| bytes == MARK);
    let starts: Vec<u64> = marks.map(|(position, _)| position.saturating_sub(4) as u64).collect();
    let length = file.metadata()?.len();
    let mut boxes = Boxes { file: BufReader::new(&mut *file), position: 0, length, declared: 0 };
    let mut plausible = starts.len() <= MAX_MARKS;
    for start in starts.into_iter().take(MAX_MARKS) {
        boxes.declared = 0;
        boxes.walk(start..length, &[b"moof", b"traf", b"trun"])?;
        plausible &= boxes.declared <= length;
    }
    file.rewind()?;
    Ok(if plausible { Mp4::Plausible } else { Mp4::Implausible })
}

struct Boxes<'a> {
    file: BufReader<&'a mut File>,
    /// The position in the file of the next byte.
    position: u64,
    length: u64,
    /// The samples of all runs.
    declared: u64,
}

impl Boxes<'_> {
    /// Visits the boxes at the given path of names below a range.
    fn walk(&mut self, range: std::ops::Range<u64>, path: &[&[u8; 4]]) -> io::Result<()> {
        let Some((name, inner)) = path.split_first() else { return self.count(range) };
        let mut position = range.start;
        while range.end.saturating_sub(position) >= 8 && self.declared <= self.length {
            let Some((found, body)) = self.header(position, range.end)? else { return Ok(()) };
            position = body.end;
            if found == **name {
                self.walk(body, inner)?;
            }
        }
        Ok(())
    }

    /// The name and the content range of the box at a position; `None` if it does not fit into the range.
    fn header(&mut self, position: u64, end: u64) -> io::Result<Option<([u8; 4], std::ops::Range<u64>)>> {
        let [length, name] = self.words(position)?;
        let (header, length) = match u32::from_be_bytes(length) {
            0 => (8, end - position),
            1 => {
                let [high, low] =
                    if end - position < 16 { return Ok(None) } else { self.words(position + 8)? };
                (16, u64::from(u32::from_be_bytes(high)) << 32 | u64::from(u32::from_be_bytes(low)))
            }
            length => (8, u64::from(length)),
        };
        let fits = length >= header && length <= end - position;
        Ok(fits.then(|| (name, position + header..position + length)))
    }

    /// Adds the samples of a run, whose content is its version and flags, then the number of samples.
    fn count(&mut self, run: std::ops::Range<u64>) -> io::Result<()> {
        if run.end - run.start >= 8 {
            let [_, count] = self.words(run.start)?;
            self.declared += u64::from(u32::from_be_bytes(count));
        }
        Ok(())
    }

    fn words(&mut self, position: u64) -> io::Result<[[u8; 4]; 2]> {
        self.file.seek_relative(position as i64 - self.position as i64)?;
        let mut words = [[0; 4]; 2];
        for word in &mut words {
            self.file.read_exact(word)?;
        }
        self.position = position + 8;
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
        let verdict = check(&mut file).unwrap();
        assert_eq!(file.stream_position().unwrap(), 0);
        verdict
    }

    fn mp4(rest: &[Vec<u8>]) -> Vec<u8> {
        [boxed(MARK, b"isomiso6"), rest.concat()].concat()
    }

    #[test]
    fn runs_may_declare_as_many_samples_as_there_are_bytes() {
        let media = boxed(b"mdat", &[0; 300]);
        assert_eq!(
            verdict(&mp4(&[fragment(&run(100)), media.clone(), fragment(&run(100)), media])),
            Mp4::Plausible
        );
        assert_eq!(verdict(&mp4(&[])), Mp4::Plausible);
    }

    #[test]
    fn more_samples_than_bytes_are_implausible_wherever_they_are() {
        assert_eq!(verdict(&mp4(&[fragment(&run(u32::MAX))])), Mp4::Implausible);
        assert_eq!(verdict(&mp4(&[fragment(&run(90).repeat(9))])), Mp4::Implausible);
        let hidden = boxed(b"free", &mp4(&[fragment(&run(u32::MAX))]));
        assert_eq!(verdict(&mp4(&[hidden])), Mp4::Implausible);
        let long = [1_u32.to_be_bytes(), *b"moof", [0; 4], 500_u32.to_be_bytes()].concat();
        let long = [long, boxed(b"traf", &run(u32::MAX)), vec![0; 500]].concat();
        assert_eq!(verdict(&mp4(&[long])), Mp4::Implausible);
        let open = [[0; 4], *b"moof"].concat();
        assert_eq!(verdict(&mp4(&[[open, boxed(b"traf", &run(u32::MAX))].concat()])), Mp4::Implausible);
        assert_eq!(verdict(&[boxed(MARK, &[]), MARK.repeat(20)].concat()), Mp4::Implausible);
    }

    #[test]
    fn other_formats_are_not_mp4() {
        for bytes in [b"RIFF".as_slice(), b"", b"\0\0", b"ID3\x04ftyp", b"xxxxxxxx\0\0\0\x10ftypisom"] {
            assert_eq!(verdict(bytes), Mp4::No);
        }
    }

    #[test]
    fn boxes_that_do_not_fit_end_the_walk() {
        for length in [2_u32, 7, 9_000] {
            let broken = [length.to_be_bytes().as_slice(), b"moof", &fragment(&run(u32::MAX))].concat();
            assert_eq!(verdict(&mp4(&[broken])), Mp4::Plausible, "{length}");
        }
    }
}
