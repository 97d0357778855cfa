//! The limits on all schemas of one request together. Each schema has its own limits, but a request can have sixteen.

use super::bounds::SchemaSize;

/// Maximum size of all schemas as JSON without spaces.
const BYTES: usize = 1024 * 1024;
/// Maximum number of JSON values in all schemas. One schema of the maximum size has fewer.
const VALUES: usize = 300_000;
/// Maximum number of patterns in all schemas.
const PATTERNS: usize = 128;
/// Maximum estimated size of all compiled patterns. Compiling 144 MB took 0.8 seconds of computing.
const PATTERN_BYTES: u64 = 16 * 1024 * 1024;
/// Maximum characters that are read to translate all patterns.
const PATTERN_CHARACTERS: u64 = 4_000_000;

/// What the schemas of a request have used so far.
#[derive(Debug, Default)]
pub(in crate::request) struct SchemaBudget {
    used: SchemaSize,
}

impl SchemaBudget {
    /// Adds a schema. Fails with the reason if it is too much, together with those before it.
    pub(super) fn add(&mut self, size: &SchemaSize) -> Result<(), String> {
        let used = &mut self.used;
        used.bytes += size.bytes;
        used.values += size.values;
        used.patterns += size.patterns;
        used.pattern_bytes = used.pattern_bytes.saturating_add(size.pattern_bytes);
        used.pattern_characters = used.pattern_characters.saturating_add(size.pattern_characters);
        self.fault().map_or(Ok(()), Err)
    }

    fn fault(&self) -> Option<String> {
        let used = &self.used;
        if used.bytes > BYTES {
            return Some(format!("the schemas of the request have more than {BYTES} bytes as JSON in total"));
        }
        if used.values > VALUES {
            return Some(format!("the schemas of the request have more than {VALUES} JSON values in total"));
        }
        if used.patterns > PATTERNS {
            return Some(format!("the schemas of the request have more than {PATTERNS} patterns in total"));
        }
        if used.pattern_bytes > PATTERN_BYTES {
            return Some(
                "the patterns of the request are too large to be compiled; use smaller counts such as `{1,20}`, \
                 or `[A-Za-z]` instead of `\\p{L}`"
                    .into(),
            );
        }
        (used.pattern_characters > PATTERN_CHARACTERS)
            .then(|| "the patterns of the request have too many of `\\d`, `\\s` and `\\w`".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_share_each_limit() {
        let sizes = [
            SchemaSize { bytes: BYTES / 2, ..SchemaSize::default() },
            SchemaSize { values: VALUES / 2, ..SchemaSize::default() },
            SchemaSize { patterns: PATTERNS / 2, ..SchemaSize::default() },
            SchemaSize { pattern_bytes: PATTERN_BYTES / 2, ..SchemaSize::default() },
            SchemaSize { pattern_characters: PATTERN_CHARACTERS / 2, ..SchemaSize::default() },
        ];
        for size in sizes {
            let mut budget = SchemaBudget::default();
            let mut add = || budget.add(&size);
            assert!(add().is_ok() && add().is_ok(), "{size:?}");
            assert!(add().is_err(), "{size:?}");
        }
    }

    #[test]
    fn an_estimate_without_end_is_refused() {
        let mut budget = SchemaBudget::default();
        let endless = SchemaSize { pattern_bytes: u64::MAX, ..SchemaSize::default() };
        assert!(budget.add(&endless).is_err() && budget.add(&endless).is_err());
    }
}
