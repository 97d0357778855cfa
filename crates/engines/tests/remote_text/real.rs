//! A real llama.cpp server, started from a Python package.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use auris_engine_testing::asset;
use auris_engines::CallContext;
use serde_json::json;

use super::{Deltas, ask, engines, run, task, task_output};

const SMOLLM2: &str = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/// A llama.cpp server process, stopped when dropped.
struct Llama {
    process: Child,
    base_url: String,
}

impl Llama {
    fn start() -> Self {
        let python = std::env::var("AURIS_TEST_LLAMA")
            .expect("AURIS_TEST_LLAMA names a Python with the package xllamacpp; scripts/test installs it");
        let script = "../../scripts/lib/text/serve_llama.py";
        let mut process = Command::new(python)
            .args([script, asset(SMOLLM2).to_str().unwrap(), "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut base_url = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut base_url).unwrap();
        Self { process, base_url: base_url.trim().to_owned() }
    }
}

impl Drop for Llama {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_real_server_answers_in_one_piece_as_a_stream_and_by_schema() {
    let llama = Llama::start();
    let whole = ask(&engines(&llama.base_url, ""), task(None)).unwrap();
    assert!(!task_output(&whole).text.is_empty());
    assert!(whole.input_tokens > 50 && whole.output_tokens > 0 && whole.output_tokens <= 40);
    assert_eq!(whole.response["usage"], "reported by the server");
    let streaming = engines(&llama.base_url, ", streams = true");
    let mut deltas = Deltas::default();
    let streamed = run(&streaming, task(None), &mut deltas, &CallContext::alone()).unwrap();
    assert_eq!(task_output(&streamed).text, deltas.0);
    assert_eq!((streamed.input_tokens, streamed.output_tokens), (whole.input_tokens, whole.output_tokens));
    let schema = json!({"type": "object", "additionalProperties": false, "required": ["caller"],
        "properties": {"caller": {"type": "string", "enum": ["Dana", "somebody else"]}}});
    let form = ask(&streaming, task(Some(schema))).unwrap();
    assert!(["Dana", "somebody else"].contains(&task_output(&form).json["caller"].as_str().unwrap()));
}
