//! Writes the smallest GGUF files that are accepted, and ones with something wrong.

/// Numbers of the types of values in the format.
const U16: u32 = 2;
const TEXT: u32 = 8;
/// The number of the type of tensors with 32-bit floats.
const F32: u32 = 0;
/// Numbers of the only tensor.
const WEIGHTS: u64 = 8;

/// What a file says about itself.
pub(crate) struct GgufFile {
    values: Vec<(String, u32, Vec<u8>)>,
}

impl GgufFile {
    /// A language model that can be added.
    pub(crate) fn new() -> Self {
        Self { values: Vec::new() }
            .with("general.architecture", "qwen3")
            .with("general.name", "Qwen3 Tiny")
            .with("tokenizer.ggml.model", "gpt2")
            .with("tokenizer.chat_template", "{{ messages[0].content }}")
    }

    /// The file with another text, or with one more.
    pub(crate) fn with(self, key: &str, text: &str) -> Self {
        let text = written(text);
        self.with_value(key, TEXT, text)
    }

    /// The file as one of this many parts.
    pub(crate) fn split(self, parts: u16) -> Self {
        self.with_value("split.count", U16, parts.to_le_bytes().to_vec())
    }

    pub(crate) fn without(mut self, key: &str) -> Self {
        self.values.retain(|(known, _, _)| known != key);
        self
    }

    /// The file. Its last byte belongs to its only tensor.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut file = b"GGUF".to_vec();
        file.extend(3_u32.to_le_bytes());
        file.extend(1_u64.to_le_bytes());
        file.extend((self.values.len() as u64).to_le_bytes());
        for (key, kind, value) in &self.values {
            file.extend(written(key));
            file.extend(kind.to_le_bytes());
            file.extend(value);
        }
        file.extend(written("token_embd.weight"));
        file.extend(1_u32.to_le_bytes());
        file.extend(WEIGHTS.to_le_bytes());
        file.extend(F32.to_le_bytes());
        // The place of the tensor in the data, which starts at a multiple of 32.
        file.extend(0_u64.to_le_bytes());
        file.resize(file.len().next_multiple_of(32), 0);
        file.extend(vec![0; 4 * WEIGHTS as usize]);
        file
    }

    fn with_value(self, key: &str, kind: u32, value: Vec<u8>) -> Self {
        let mut file = self.without(key);
        file.values.push((key.to_owned(), kind, value));
        file
    }
}

/// A text with its length.
fn written(text: &str) -> Vec<u8> {
    [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat()
}
