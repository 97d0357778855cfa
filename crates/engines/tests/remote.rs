//! A speech model on a remote server: the requests, the parsed responses, and faults of the server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use auris_domain::step::spec::TranscriptionSpec;
use auris_engine_testing::{asset, recording};
use auris_engines::{CallContext, Catalog, EngineError, EngineSettings, Engines, Ignore, Transcription};

const JSON: &str = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n";
const BUSY: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";

/// A server that sends these responses, one per connection. Returns the requests.
fn server(responses: Vec<String>) -> (u16, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let serve = move || {
        let respond = |response: &String| {
            let (mut stream, _) = listener.accept().unwrap();
            let request = read_request(&stream);
            stream.write_all(response.as_bytes()).unwrap();
            request
        };
        responses.iter().map(respond).collect()
    };
    (port, std::thread::spawn(serve))
}

fn read_request(stream: &std::net::TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        head.push_str(&line);
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    head + &String::from_utf8_lossy(&body)
}

fn transcribe(port: u16, streams: bool, context: &CallContext) -> Result<Transcription, EngineError> {
    let catalog = format!(
        "[[models]]\nid = \"there\"\ndisplay_name = \"There\"\nengine = \"remote\"\n\
         capabilities = [{{ capability = \"transcription\", native_unit = \"audio_second\", price_per_unit_usd = \"0\" }}]\n\
         remote = {{ base_url = \"http://127.0.0.1:{port}/v1\", model = \"big\", streams = {streams} }}\n"
    );
    let settings = EngineSettings { models_dir: PathBuf::new(), max_audio_seconds: 60.0 };
    let engines = Engines::new(Catalog::parse(&catalog).unwrap(), settings);
    let options = TranscriptionSpec { language: None, prompt: Some("Kennedy".into()) };
    let source = engines.source(&asset(recording::JFK));
    engines.transcriber("there").unwrap().transcribe(&source, &options, &mut Ignore, context)
}

#[test]
fn a_verbose_answer_becomes_a_transcript() {
    let answer = r#"{"text": " Hello there. ", "language": "english", "segments":
        [{"start": 0.0, "end": 1.5, "text": " Hello there.", "avg_logprob": -0.1}]}"#;
    let (port, server) = server(vec![format!("{JSON}{answer}")]);
    let transcription = transcribe(port, false, &CallContext::alone()).unwrap();
    let transcript = &transcription.transcript;
    assert_eq!((transcript.text.as_str(), transcript.language.as_deref()), ("Hello there.", Some("en")));
    assert_eq!((transcription.duration_seconds, transcript.segments.len()), (11.0, 1));
    let requests = server.join().unwrap();
    assert!(requests[0].starts_with("POST /v1/audio/transcriptions"));
    for part in ["name=\"model\"\r\n\r\nbig", "verbose_json", "name=\"prompt\"\r\n\r\nKennedy", "RIFF"] {
        assert!(requests[0].contains(part), "{part}");
    }
}

#[test]
fn a_busy_server_is_called_once_because_only_the_service_retries() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = requests.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            read_request(&stream);
            counted.fetch_add(1, Ordering::Relaxed);
            stream.write_all(BUSY.as_bytes()).unwrap();
        }
    });
    let busy = transcribe(port, false, &CallContext::alone());
    assert!(matches!(busy, Err(EngineError::Backend { transient: true, .. })), "{busy:?}");
    assert_eq!(requests.load(Ordering::Relaxed), 1);
}

#[test]
fn a_streamed_answer_is_read_while_it_arrives() {
    let events = "data: {\"type\":\"transcript.text.delta\",\"delta\":\"Hello\"}\n\n\
                  data: {\"type\":\"transcript.text.delta\",\"delta\":\" there.\"}\n\ndata: [DONE]\n\n";
    let (port, server) = server(vec![format!("{EVENTS}{events}")]);
    assert_eq!(transcribe(port, true, &CallContext::alone()).unwrap().transcript.text, "Hello there.");
    assert!(server.join().unwrap()[0].contains("name=\"stream\"\r\n\r\ntrue"));
}

#[test]
fn a_refusal_is_permanent_and_an_unreachable_server_is_transient() {
    let refusal = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    let (port, server) = server(vec![refusal.into()]);
    let refused = transcribe(port, false, &CallContext::alone());
    assert!(matches!(refused, Err(EngineError::Backend { transient: false, .. })));
    server.join().unwrap();
    let unreachable = transcribe(port, false, &CallContext::alone());
    assert!(matches!(unreachable, Err(EngineError::Backend { transient: true, .. })));
}

#[test]
fn cancelling_a_call_does_not_wait_for_the_remote_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let context = CallContext::alone();
    let cancel = context.cancel.clone();
    let silent = std::thread::spawn(move || {
        let connection = listener.accept().unwrap();
        cancel.cancel();
        connection
    });
    assert!(matches!(transcribe(port, false, &context), Err(EngineError::Cancelled)));
    drop(silent.join().unwrap());
}
