//! Writes GGUF files for the tests, right ones and wrong ones.

/// The parts of a file. Counts and offsets are right unless a test changes the bytes.
pub(super) struct Writer {
    alignment: usize,
    keys: u64,
    values: Vec<u8>,
    tensors: Vec<Tensor>,
}

struct Tensor {
    /// Name, sizes and type.
    description: Vec<u8>,
    /// The next free place if there is none.
    offset: Option<u64>,
    data: Vec<u8>,
}

impl Writer {
    /// A file that does not name its alignment.
    pub(super) fn new() -> Self {
        Self { alignment: 32, keys: 0, values: Vec::new(), tensors: Vec::new() }
    }

    /// A file that names its alignment.
    pub(super) fn aligned(alignment: u32) -> Self {
        let file = Self { alignment: alignment as usize, ..Self::new() };
        file.value("general.alignment", 4, &alignment.to_le_bytes())
    }

    /// A value of the type with this number.
    pub(super) fn value(mut self, key: &str, kind: u32, bytes: &[u8]) -> Self {
        self.keys += 1;
        self.values.extend(text(key));
        self.values.extend(kind.to_le_bytes());
        self.values.extend(bytes);
        self
    }

    /// A tensor with the outermost size first.
    pub(super) fn tensor(mut self, name: &str, shape: &[u64], kind: u32, data: &[u8]) -> Self {
        let mut description = text(name);
        description.extend((shape.len() as u32).to_le_bytes());
        shape.iter().rev().for_each(|size| description.extend(size.to_le_bytes()));
        description.extend(kind.to_le_bytes());
        self.tensors.push(Tensor { description, offset: None, data: data.to_vec() });
        self
    }

    /// Lets the last tensor claim to be elsewhere.
    pub(super) fn at(mut self, offset: u64) -> Self {
        self.tensors.last_mut().unwrap().offset = Some(offset);
        self
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let mut file = b"GGUF".to_vec();
        file.extend(3u32.to_le_bytes());
        file.extend((self.tensors.len() as u64).to_le_bytes());
        file.extend(self.keys.to_le_bytes());
        file.extend(self.values);
        let mut data = Vec::new();
        for tensor in self.tensors {
            pad(&mut data, self.alignment);
            file.extend(tensor.description);
            file.extend(tensor.offset.unwrap_or(data.len() as u64).to_le_bytes());
            data.extend(tensor.data);
        }
        pad(&mut file, self.alignment);
        file.extend(data);
        file
    }
}

/// The padding is not zero, so that a reader that takes it for data is noticed.
fn pad(bytes: &mut Vec<u8>, alignment: usize) {
    bytes.resize(bytes.len().next_multiple_of(alignment), 0xAA);
}

/// A text with its length.
pub(super) fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}

/// A list of items of the type with this number.
pub(super) fn list(kind: u32, count: u64, items: &[u8]) -> Vec<u8> {
    [&kind.to_le_bytes()[..], &count.to_le_bytes(), items].concat()
}
