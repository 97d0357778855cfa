mod damage;
mod writer;

use super::*;
use crate::blocks::BlockType;
use crate::test_files::Random;

use writer::{Writer, list, text};

const F32: u32 = 0;
const F16: u32 = 1;
const Q8_0: u32 = 8;
const Q4_K: u32 = 12;
const Q6_K: u32 = 14;
/// The names and sizes of the tensors in the complete file.
const TENSORS: [(&str, &[u64]); 6] = [
    ("floats", &[2, 3]),
    ("halves", &[2, 4]),
    ("eight", &[2, 64]),
    ("four", &[3, 512]),
    ("six", &[3, 512]),
    ("norm", &[3]),
];

/// Random blocks whose halves at the given places are ordinary numbers.
fn blocks(kind: BlockType, count: usize, halves: &[usize]) -> Vec<u8> {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut blocks: Vec<u8> = (0..kind.bytes() * count).map(|_| random.below(256) as u8).collect();
    for block in blocks.chunks_exact_mut(kind.bytes()) {
        for place in halves {
            // An exponent from 2⁻⁷ to 1.
            block[place + 1] = block[place + 1] & 0x9F | 0x20;
        }
    }
    blocks
}

fn floats(numbers: &[f32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The data of the tensors in the complete file.
fn data(name: &str) -> Vec<u8> {
    match name {
        "floats" => floats(&[1.0, -2.0, 3.5, 0.0, 5.0, -6.25]),
        "halves" => [0x3C00u16, 0xC000, 0x3E00, 0, 0x4000, 0x4200, 0xBC00, 0x3800]
            .iter()
            .flat_map(|half| half.to_le_bytes())
            .collect(),
        "eight" => blocks(BlockType::Q8_0, 4, &[0]),
        "four" => blocks(BlockType::Q4K, 6, &[0, 2]),
        "six" => blocks(BlockType::Q6K, 6, &[208]),
        _ => floats(&[7.0, 8.0, 9.0]),
    }
}

/// A file with every type of value and several types of tensors. Its last byte belongs to a tensor.
fn complete() -> Vec<u8> {
    let texts = [text("a"), text(""), text("ü b")].concat();
    let integers: Vec<u8> = [1i32, -2, 3].iter().flat_map(|number| number.to_le_bytes()).collect();
    let mut file = Writer::aligned(64)
        .value("u8", 0, &[200])
        .value("i8", 1, &[0xFB])
        .value("u16", 2, &60_000u16.to_le_bytes())
        .value("i16", 3, &300i16.to_le_bytes())
        .value("u32", 4, &4_000_000_000u32.to_le_bytes())
        .value("i32", 5, &(-7i32).to_le_bytes())
        .value("f32", 6, &1.5f32.to_le_bytes())
        .value("yes", 7, &[1])
        .value("no", 7, &[0])
        .value("text", 8, &text("héllo"))
        .value("ended", 8, &text("end\0\0"))
        .value("texts", 9, &list(8, 3, &texts))
        .value("no texts", 9, &list(8, 0, &[]))
        .value("broken texts", 9, &list(8, 1, &[1, 0, 0, 0, 0, 0, 0, 0, 0xFF]))
        .value("i32s", 9, &list(5, 3, &integers))
        .value("u8s", 9, &list(0, 2, &[0, 255]))
        .value("u64s", 9, &list(10, 1, &u64::MAX.to_le_bytes()))
        .value("f32s", 9, &list(6, 1, &floats(&[1.0])))
        .value("flags", 9, &list(7, 2, &[0, 1]))
        .value("u64", 10, &(1u64 << 40).to_le_bytes())
        .value("i64", 11, &(1i64 << 41).to_le_bytes())
        .value("f64", 12, &2.5f64.to_le_bytes());
    for ((name, shape), kind) in TENSORS.iter().zip([F32, F16, Q8_0, Q4_K, Q6_K, F32]) {
        file = file.tensor(name, shape, kind, &data(name));
    }
    file.finish()
}

#[test]
fn every_type_of_value_is_read() {
    let file = GgufFile::from_memory(complete()).unwrap();
    let numbers = ["u8", "u16", "i16", "u32", "u64", "i64"].map(|key| file.number(key));
    assert_eq!(numbers, [200u64, 60_000, 300, 4_000_000_000, 1 << 40, 1 << 41].map(Some));
    for key in ["i8", "i32", "f32", "yes", "text", "i32s", "none"] {
        assert_eq!(file.number(key), None, "{key}");
    }
    assert_eq!([file.float("f32"), file.float("f64"), file.float("u8")], [Some(1.5), Some(2.5), None]);
    assert_eq!([file.flag("yes"), file.flag("no"), file.flag("u8")], [Some(true), Some(false), None]);
    assert_eq!([file.text("text"), file.text("ended"), file.text("u8")], [Some("héllo"), Some("end"), None]);
}

#[test]
fn lists_are_read() {
    let file = GgufFile::from_memory(complete()).unwrap();
    assert_eq!(file.texts("texts"), Some(vec!["a", "", "ü b"]));
    assert_eq!(file.texts("no texts"), Some(vec![]));
    assert_eq!((file.texts("broken texts"), file.texts("i32s"), file.texts("text")), (None, None, None));
    assert_eq!(file.numbers("i32s"), Some(vec![1, -2, 3]));
    assert_eq!(file.numbers("u8s"), Some(vec![0, 255]));
    for key in ["u64s", "f32s", "flags", "texts", "u8"] {
        assert_eq!(file.numbers(key), None, "{key}");
    }
}

#[test]
fn tensors_have_their_shapes_and_weights() {
    let file = GgufFile::from_memory(complete()).unwrap();
    for (name, shape) in TENSORS {
        let sizes: Vec<usize> = shape.iter().map(|size| *size as usize).collect();
        assert_eq!(file.shape(name), Some(&sizes[..]));
        assert!(file.has(name));
    }
    assert_eq!(file.floats("floats").unwrap(), [1.0, -2.0, 3.5, 0.0, 5.0, -6.25]);
    assert_eq!(file.floats("halves").unwrap(), [1.0, -2.0, 1.5, 0.0, 2.0, 3.0, -1.0, 0.5]);
    assert_eq!(file.floats("norm").unwrap(), [7.0, 8.0, 9.0]);
    for (name, kind) in [("eight", BlockType::Q8_0), ("four", BlockType::Q4K), ("six", BlockType::Q6K)] {
        let found = file.floats(name).unwrap();
        let mut expected = vec![0.0; found.len()];
        kind.decode(&data(name), &mut expected);
        assert_eq!(found, expected, "{name}");
    }
    assert!(!file.has("none") && file.shape("none").is_none());
    assert!(matches!(file.floats("none"), Err(WeightsError::Missing { name }) if name == "none"));
}

#[test]
fn products_have_the_weights_of_the_file() {
    let file = GgufFile::from_memory(complete()).unwrap();
    // What a weight may differ by, as a part of the largest of its row: rounding of floats or of eight bits.
    for (name, part) in
        [("four", 1e-6), ("six", 1e-6), ("floats", 0.005), ("halves", 0.005), ("eight", 0.005)]
    {
        let (linear, weights) = (file.linear(name).unwrap(), file.floats(name).unwrap());
        let inputs = file.shape(name).unwrap()[1];
        for (output, expected) in weights.chunks_exact(inputs).enumerate() {
            let mut row = vec![f32::NAN; inputs];
            linear.row(output, &mut row);
            let largest = expected.iter().fold(0f32, |largest, weight| largest.max(weight.abs()));
            for (found, expected) in row.iter().zip(expected) {
                let difference = (found - expected).abs();
                assert!(difference <= part * largest, "{name} {output}: {found} for {expected}");
            }
        }
    }
}

#[test]
fn a_product_of_what_is_not_a_matrix_is_refused() {
    let file = Writer::new()
        .tensor("norm", &[3], F32, &floats(&[1.0; 3]))
        .tensor("empty", &[0, 3], F32, &[])
        .tensor("flat", &[3, 0], F32, &[])
        .tensor("cube", &[1, 1, 3], F32, &floats(&[1.0; 3]))
        .tensor("infinite", &[1, 3], F32, &floats(&[1.0, f32::INFINITY, 1.0]))
        .tensor("block", &[1, 256], Q4_K, &[0xFF; 144]);
    let file = GgufFile::from_memory(file.finish()).unwrap();
    let linear = |name: &str| file.linear(name).err().unwrap().to_string();
    for name in ["norm", "empty", "flat", "cube"] {
        let error = linear(name);
        assert!(error.contains(&format!("`{name}`")) && error.contains("is not the matrix"), "{error}");
    }
    for name in ["infinite", "block"] {
        let error = linear(name);
        assert!(error.contains(&format!("`{name}`")) && error.contains("infinite"), "{error}");
    }
    assert!(matches!(file.linear("none").err().unwrap(), WeightsError::Missing { .. }));
}

#[test]
fn a_file_on_disk_is_mapped_and_named_in_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gguf");
    std::fs::write(&path, complete()).unwrap();
    let file = GgufFile::open(&path).unwrap();
    file.release();
    assert_eq!(file.texts("texts"), Some(vec!["a", "", "ü b"]));
    assert_eq!(file.floats("norm").unwrap(), [7.0, 8.0, 9.0]);
    std::fs::write(folder.path().join("b.gguf"), b"GGUF").unwrap();
    let error = GgufFile::open(&folder.path().join("b.gguf")).unwrap_err().to_string();
    assert!(error.contains("b.gguf`") && error.contains("ends too early"), "{error}");
}
