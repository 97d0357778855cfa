//! Multipart bodies, encoded here so that tests can also send broken ones.

const BOUNDARY: &str = "auris-e2e-boundary-7MA4YWxkTrZu0gW";

/// A form with its parts in the order in which they were added.
#[derive(Clone, Default)]
pub struct Form {
    parts: Vec<Part>,
}

#[derive(Clone)]
struct Part {
    name: String,
    file_name: Option<String>,
    value: Vec<u8>,
}

impl Form {
    pub fn new() -> Self {
        Self::default()
    }

    #[must_use]
    pub fn text(self, name: &str, value: impl Into<String>) -> Self {
        self.part(name, None, value.into().into_bytes())
    }

    #[must_use]
    pub fn file(self, value: Vec<u8>) -> Self {
        self.part("file", Some("recording.wav"), value)
    }

    #[must_use]
    pub fn part(mut self, name: &str, file_name: Option<&str>, value: Vec<u8>) -> Self {
        self.parts.push(Part { name: name.to_owned(), file_name: file_name.map(str::to_owned), value });
        self
    }

    /// The same form without the parts of that name.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.parts.retain(|part| part.name != name);
        self
    }

    /// Replaces or adds a text part.
    #[must_use]
    pub fn with(self, name: &str, value: impl Into<String>) -> Self {
        self.without(name).text(name, value)
    }

    pub fn content_type() -> String {
        format!("multipart/form-data; boundary={BOUNDARY}")
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut body = self.encode_open();
        body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        body
    }

    /// The body without its closing boundary.
    pub fn encode_open(&self) -> Vec<u8> {
        let mut body = Vec::new();
        for part in &self.parts {
            body.extend_from_slice(part.head().as_bytes());
            body.extend_from_slice(&part.value);
            body.extend_from_slice(b"\r\n");
        }
        body
    }

    /// The body with the raw text `header` in place of each part's Content-Disposition.
    pub fn encode_with_disposition(&self, header: &str) -> Vec<u8> {
        let mut body = Vec::new();
        for part in &self.parts {
            body.extend_from_slice(format!("--{BOUNDARY}\r\n{header}\r\n\r\n").as_bytes());
            body.extend_from_slice(&part.value);
            body.extend_from_slice(b"\r\n");
        }
        body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
        body
    }
}

impl Part {
    fn head(&self) -> String {
        let name = &self.name;
        match &self.file_name {
            Some(file) => format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; filename=\"{file}\"\r\n\
                 Content-Type: application/octet-stream\r\n\r\n"
            ),
            None => {
                format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n")
            }
        }
    }
}
