//! The vectors of words, each already multiplied by the weights of the net that follow.

use auris_kernels::FloatLinear;
use auris_weights::WeightsError;

use super::msgpack::{Reader, damaged};
use super::tensors::floats_of;

/// Rows that are multiplied at once.
const ROWS: usize = 256;

/// A row for each word with a vector. Many words share a row.
pub(super) struct WordVectors {
    /// The numbers of the words, in order.
    words: Vec<u64>,
    rows: Vec<u32>,
    floats: Vec<f32>,
    width: usize,
}

impl WordVectors {
    /// Reads the vectors (`.npy`) and the row of each word (MessagePack), and multiplies the vectors by `weights`.
    pub(super) fn read(vectors: &[u8], key_rows: &[u8], weights: &FloatLinear) -> Result<Self, WeightsError> {
        let (count, vectors) = read_npy(vectors, weights.inputs())?;
        let mut pairs = read_key_rows(key_rows, count)?;
        pairs.sort_unstable();
        let (words, rows) = pairs.into_iter().unzip();
        let width = weights.outputs();
        let mut floats = vec![0.0; count * width];
        let parts = floats.chunks_mut(ROWS * width).zip(vectors.chunks(ROWS * weights.inputs() * 4));
        for (projected, part) in parts {
            weights.run(&floats_of(part), projected);
        }
        Ok(Self { words, rows, floats, width })
    }

    /// The row of a word; `None` if it has no vector.
    pub(super) fn row(&self, word: u64) -> Option<&[f32]> {
        let at = self.words.binary_search(&word).ok()?;
        let start = self.rows[at] as usize * self.width;
        self.floats.get(start..start + self.width)
    }
}

/// The number of rows and the bytes of a matrix of floats in NumPy's format.
fn read_npy(bytes: &[u8], width: usize) -> Result<(usize, &[u8]), WeightsError> {
    let header = bytes.strip_prefix(b"\x93NUMPY\x01\x00").and_then(|rest| {
        let (length, rest) = rest.split_first_chunk::<2>()?;
        rest.split_at_checked(usize::from(u16::from_le_bytes(*length)))
    });
    let (header, data) = header.ok_or_else(|| damaged("the vectors are not in NumPy's format"))?;
    let header = String::from_utf8_lossy(header);
    let rows = data.len() / (4 * width.max(1));
    let shape = format!("'shape': ({rows}, {width})");
    let is_right = header.contains("'descr': '<f4'")
        && header.contains("'fortran_order': False")
        && header.contains(&shape)
        && data.len() == rows * width * 4;
    if is_right {
        Ok((rows, data))
    } else {
        Err(damaged(format!("the vectors are not of the width {width}")))
    }
}

fn read_key_rows(bytes: &[u8], rows: usize) -> Result<Vec<(u64, u32)>, WeightsError> {
    let mut reader = Reader::new(bytes);
    let count = reader.map()?;
    let mut pairs = Vec::with_capacity(count);
    for _ in 0..count {
        let word = reader.unsigned()?;
        let row = reader.unsigned()?;
        if row >= rows as u64 {
            return Err(damaged(format!("a word has the vector {row} of {rows}")));
        }
        pairs.push((word, row as u32));
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn npy(shape: &str, floats: &[f32]) -> Vec<u8> {
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend((header.len() as u16).to_le_bytes());
        bytes.extend(header.into_bytes());
        bytes.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
        bytes
    }

    #[test]
    fn words_have_their_multiplied_rows() {
        let weights = FloatLinear::new(&[1.0, 1.0, 2.0, 0.0], 2, &[]);
        let keys = [0x83, 9, 1, 4, 0, 7, 1];
        let vectors = WordVectors::read(&npy("(2, 2)", &[1.0, 2.0, 3.0, 4.0]), &keys, &weights).unwrap();
        assert_eq!(vectors.row(4), Some(&[3.0, 2.0][..]));
        assert_eq!((vectors.row(9), vectors.row(9)), (vectors.row(7), Some(&[7.0, 6.0][..])));
        assert_eq!(vectors.row(5), None);
    }

    #[test]
    fn damaged_files_are_refused() {
        let weights = FloatLinear::new(&[1.0, 1.0], 2, &[]);
        let good = npy("(2, 2)", &[0.0; 4]);
        let read = |vectors: &[u8], keys: &[u8]| WordVectors::read(vectors, keys, &weights).err();
        assert!(read(&good, &[0x81, 9, 1]).is_none());
        assert!(read(&good, &[0x81, 9, 2]).unwrap().to_string().contains("the vector 2 of 2"));
        assert!(read(&good[..good.len() - 4], &[0x80]).is_some());
        assert!(read(&npy("(1, 4)", &[0.0; 4]), &[0x80]).is_some());
        assert!(read(b"\x93NUMPY\x01\x00\xff\xff", &[0x80]).is_some());
    }
}
