//! A language model on another server: a real llama.cpp, and one that is in trouble.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should panic")]

mod faults;
mod real;
mod stages;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use auris_engines::{
    CallContext, Catalog, EngineError, EngineSettings, Engines, TaskFormat, TaskRequest, TaskSource,
    TextAnswer, TextOperation, TextRequest, TextSink, TextTranscript,
};
use serde_json::{Value, json};

const TEXT: &str = "Dana calls from Lisbon. She wants to change her flight to Friday.";

/// What was told while an answer grew.
#[derive(Default)]
struct Heard(String);

impl TextSink for Heard {
    fn delta(&mut self, text: &str) {
        self.0.push_str(text);
    }
}

fn engines(base_url: &str, more: &str) -> Engines {
    let catalog = format!(
        "[[models]]\nid = \"there\"\ndisplay_name = \"There\"\nengine = \"remote\"\n\
         capabilities = [{{ capability = \"task\", native_unit = \"input_token\", price_per_unit_usd = \"0\" }}]\n\
         remote = {{ base_url = \"{base_url}\", model = \"big\", timeout_seconds = 120{more} }}\n"
    );
    let settings = EngineSettings { models_dir: PathBuf::new(), max_audio_seconds: 60.0 };
    Engines::new(Catalog::parse(&catalog).unwrap(), settings)
}

fn task(schema: Option<Value>) -> TextOperation {
    let source = TaskSource { pointer: "#/transcript/text".into(), value: json!(TEXT) };
    let format = match schema {
        Some(schema) => {
            TaskFormat::JsonSchema { name: "form".into(), description: None, schema, strict: true }
        }
        None => TaskFormat::Text,
    };
    TextOperation::Task(Box::new(TaskRequest {
        instructions: Some("Who calls?".into()),
        sources: vec![source],
        max_output_tokens: Some(40),
        temperature: Some(0.0),
        format,
        ..TaskRequest::default()
    }))
}

fn run(
    engines: &Engines,
    operation: TextOperation,
    sink: &mut dyn TextSink,
    context: &CallContext,
) -> Result<TextAnswer, EngineError> {
    let transcript = TextTranscript { text: TEXT.into(), ..TextTranscript::default() };
    run_over(engines, operation, transcript, sink, context)
}

fn run_over(
    engines: &Engines,
    operation: TextOperation,
    transcript: TextTranscript,
    sink: &mut dyn TextSink,
    context: &CallContext,
) -> Result<TextAnswer, EngineError> {
    let request = TextRequest { operation, transcript: Arc::new(transcript) };
    engines.text("there").unwrap().run(&request, sink, context)
}

fn ask(engines: &Engines, operation: TextOperation) -> Result<TextAnswer, EngineError> {
    run(engines, operation, &mut Heard::default(), &CallContext::alone())
}

fn answer(content: &str) -> String {
    let body =
        json!({"model": "big-1", "choices": [{"message": {"content": content}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 3}})
        .to_string();
    let length = body.len();
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

/// A server that gives these answers, one a connection, and returns the bodies that it got.
fn faulty(answers: Vec<String>) -> (String, JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    let serve = move || {
        let answer = |answer: &String| {
            let (mut stream, _) = listener.accept().unwrap();
            let body = body_of(&stream);
            stream.write_all(answer.as_bytes()).unwrap();
            body
        };
        answers.iter().map(answer).collect()
    };
    (base_url, std::thread::spawn(serve))
}

fn body_of(stream: &TcpStream) -> Value {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line == "\r\n" || line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap_or_default()
}

/// A server that gives this answer to everybody, as long as the test runs; the questions that it got are collected.
fn patient(content: &str) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    let (content, asked) = (answer(content), Arc::new(Mutex::new(Vec::new())));
    let bodies = asked.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            bodies.lock().unwrap().push(body_of(&stream));
            stream.write_all(content.as_bytes()).unwrap();
        }
    });
    (base_url, asked)
}
