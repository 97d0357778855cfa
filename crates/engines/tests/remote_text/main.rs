//! Language models on remote servers: a real llama.cpp server, and test servers with faults.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on should panic")]

mod faults;
mod real;
mod stages;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use auris_domain::step::SchemaText;
use auris_domain::step::StepOutput;
use auris_domain::step::output::TaskOutput;
use auris_domain::step::spec::{JsonSchema, TaskSpec, TaskText, TextFormat};
use auris_domain::transcript::TextTranscript;
use auris_engines::{
    CallContext, Catalog, EngineError, EngineSettings, Engines, Ignore, TaskRequest, TaskSource, TextAnswer,
    TextRequest, TextSink, TextWork,
};
use serde_json::{Value, json};

const TEXT: &str = "Dana calls from Lisbon. She wants to change her flight to Friday.";

/// Records the deltas of an answer.
#[derive(Default)]
struct Deltas(String);

impl TextSink for Deltas {
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

fn task(schema: Option<Value>) -> TextWork {
    let source = TaskSource { pointer: "#/transcript/text".into(), text: TEXT.into() };
    let format = match schema {
        Some(schema) => TextFormat::JsonSchema(JsonSchema {
            name: "form".into(),
            description: None,
            schema: SchemaText::of(&schema),
            strict: true,
        }),
        None => TextFormat::Text,
    };
    let spec = TaskSpec {
        instructions: Some("Who calls?".into()),
        max_output_tokens: 40,
        temperature: Some(0.0),
        answer: TaskText { format },
        ..TaskSpec::default()
    };
    TextWork::Task(Box::new(TaskRequest { spec, sources: vec![source], flaw: None }))
}

/// The output of a task.
fn task_output(answer: &TextAnswer) -> &TaskOutput {
    match &answer.output {
        StepOutput::Task(output) => output,
        other => panic!("{other:?} is not the output of a task"),
    }
}

/// The output as the API returns it.
fn json_output(answer: &TextAnswer) -> Value {
    serde_json::to_value(&answer.output).unwrap()
}

fn run(
    engines: &Engines,
    work: TextWork,
    sink: &mut dyn TextSink,
    context: &CallContext,
) -> Result<TextAnswer, EngineError> {
    let transcript = TextTranscript { text: TEXT.into(), ..TextTranscript::default() };
    let request = TextRequest { work, transcript: Arc::new(transcript) };
    engines.text("there").unwrap().run(&request, sink, context)
}

fn run_on(engines: &Engines, work: TextWork, transcript: TextTranscript) -> Result<TextAnswer, EngineError> {
    let request = TextRequest { work, transcript: Arc::new(transcript) };
    engines.text("there").unwrap().run(&request, &mut Ignore, &CallContext::alone())
}

fn ask(engines: &Engines, work: TextWork) -> Result<TextAnswer, EngineError> {
    run(engines, work, &mut Deltas::default(), &CallContext::alone())
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

/// A server that sends these responses, one per connection. Returns the bodies of the requests.
fn scripted(responses: Vec<String>) -> (String, JoinHandle<Vec<Value>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    let serve = move || {
        let respond = |response: &String| {
            let (mut stream, _) = listener.accept().unwrap();
            let body = body_of(&stream);
            stream.write_all(response.as_bytes()).unwrap();
            body
        };
        responses.iter().map(respond).collect()
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

/// A server that answers every request with this content until the test ends. Returns the bodies of the requests.
fn answering(content: &str) -> (String, Arc<Mutex<Vec<Value>>>) {
    responding(answer(content))
}

/// A server that sends this response to every request until the test ends. Returns the bodies of the requests.
fn responding(response: String) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    let requests = Arc::new(Mutex::new(Vec::new()));
    let bodies = requests.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            bodies.lock().unwrap().push(body_of(&stream));
            stream.write_all(response.as_bytes()).unwrap();
        }
    });
    (base_url, requests)
}

/// A server that keeps its connections open. Returns the number of accepted connections.
fn keep_alive(content: &str) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    let response = answer(content).replace("connection: close\r\n", "");
    let connections = Arc::new(AtomicUsize::new(0));
    let accepted = connections.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            accepted.fetch_add(1, Ordering::Relaxed);
            let mut stream = stream.unwrap();
            let response = response.clone();
            std::thread::spawn(move || {
                while stream.peek(&mut [0]).unwrap_or(0) > 0 {
                    body_of(&stream);
                    stream.write_all(response.as_bytes()).unwrap();
                }
            });
        }
    });
    (base_url, connections)
}
