//! A streamed transcription: server-sent events, read line by line.

use std::io::BufRead;

use auris_engine_core::EngineError;
use serde_json::Value;

/// Reads the stream to its end: each delta goes to `delta`, the final text comes back.
pub(super) fn read(stream: impl BufRead, mut delta: impl FnMut(&str)) -> Result<String, EngineError> {
    let mut text = String::new();
    for line in stream.lines() {
        let line = line.map_err(|error| broken(&error.to_string()))?;
        let Some(data) = line.strip_prefix("data:").map(str::trim) else { continue };
        if data == "[DONE]" {
            break;
        }
        let event: Value = serde_json::from_str(data).map_err(|error| broken(&error.to_string()))?;
        match event["type"].as_str() {
            Some("transcript.text.delta") => {
                let piece = event["delta"].as_str().unwrap_or_default();
                text.push_str(piece);
                delta(piece);
            }
            Some("error") => return Err(broken(event["error"]["message"].as_str().unwrap_or("it failed"))),
            _ if event.get("error").is_some() => return Err(broken(&event["error"].to_string())),
            _ => {}
        }
    }
    Ok(text)
}

fn broken(message: &str) -> EngineError {
    EngineError::Backend { message: format!("The speech server broke off: {message}."), transient: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_are_joined_and_others_passed_over() {
        let stream = "event: x\ndata: {\"type\":\"transcript.text.delta\",\"delta\":\"Hel\"}\n\n: comment\n\
                      data: {\"type\":\"transcript.text.delta\",\"delta\":\"lo\"}\n\n\
                      data: {\"type\":\"transcript.text.done\",\"text\":\"Hello\"}\n\ndata: [DONE]\n\n";
        let mut heard = Vec::new();
        assert_eq!(read(stream.as_bytes(), |delta| heard.push(delta.to_owned())).unwrap(), "Hello");
        assert_eq!(heard, ["Hel", "lo"]);
    }

    #[test]
    fn an_error_in_the_stream_is_one() {
        assert!(read("data: {\"error\": {\"message\": \"no\"}}\n".as_bytes(), |_| {}).is_err());
    }
}
