//! Writes the features of the sentiment head for each line of the input, as little-endian floats, for
//! `scripts/lib/text/train_sentiment.py`. Its argument is the folder of the model `minilm-l6-v2`.

use std::error::Error;
use std::io::{self, BufRead as _, BufWriter, Write as _};

use auris_text::{EmbedderSlot, sentiment_features};

/// Lines that are in memory at once.
const LINES: usize = 1_024;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name the folder of the model `minilm-l6-v2`")?;
    let slot = EmbedderSlot::new(folder.into());
    let mut output = BufWriter::new(io::stdout().lock());
    let mut lines = io::stdin().lock().lines();
    loop {
        let texts = lines.by_ref().take(LINES).collect::<Result<Vec<String>, _>>()?;
        if texts.is_empty() {
            return Ok(output.flush()?);
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for value in sentiment_features(&slot, &texts)?.into_iter().flatten() {
            output.write_all(&value.to_le_bytes())?;
        }
    }
}
