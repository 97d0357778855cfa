//! Faults of a remote server: busy, broken, slow, unreachable, or without support for JSON Schema.

use std::net::TcpListener;
use std::sync::atomic::Ordering;

use auris_domain::step::TextStage;
use auris_domain::step::spec::{SummarySpec, SummaryType};
use auris_engines::{CallContext, EngineError, TextWork};
use serde_json::json;

use super::{
    Deltas, answer, ask, engines, json_output, keep_alive, responding, run, scripted, task, task_output,
};

const BUSY: &str =
    "HTTP/1.1 429 Too Many Requests\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const BROKEN: &str = "HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
const REFUSED: &str = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: 52\r\n\
                       connection: close\r\n\r\n{\"error\": {\"message\": \"response_format is unknown\"}}";

#[test]
fn token_counts_and_the_version_come_from_the_server() {
    let (base_url, server) = scripted(vec![answer("Dana.")]);
    let got = ask(&engines(&base_url, ""), task(None)).unwrap();
    assert_eq!((task_output(&got).text.as_str(), got.input_tokens, got.output_tokens), ("Dana.", 11, 3));
    assert_eq!(got.response["version"], "big-1");
    let bodies = server.join().unwrap();
    assert_eq!(bodies[0]["model"], "big");
    // The source comes first, so that servers can reuse a cached prompt prefix.
    assert!(bodies[0]["messages"][1]["content"].as_str().unwrap().starts_with("Source #/transcript/text"));
}

/// The service retries steps. Retries in the engine would multiply with those.
#[test]
fn a_busy_or_broken_server_is_called_once() {
    for refusal in [BUSY, BROKEN] {
        let (base_url, requests) = responding(refusal.into());
        let failed = ask(&engines(&base_url, ""), task(None));
        assert!(matches!(failed, Err(EngineError::Backend { transient: true, .. })), "{failed:?}");
        assert_eq!(requests.lock().unwrap().len(), 1);
    }
}

#[test]
fn calls_reuse_one_connection() {
    let (base_url, connections) = keep_alive("Dana.");
    let engines = engines(&base_url, "");
    for _ in 0..20 {
        ask(&engines, task(None)).unwrap();
    }
    // A call can begin a moment before the connection of the call before it is free.
    let opened = connections.load(Ordering::Relaxed);
    assert!(opened <= 5, "{opened} connections for 20 calls");
}

#[test]
fn a_server_without_schema_support_gets_the_schema_in_the_prompt_from_then_on() {
    let schema =
        json!({"type": "object", "required": ["caller"], "properties": {"caller": {"type": "string"}}});
    let fenced = "Sure:\n```json\n{\"caller\": \"Dana\"}\n```";
    let (base_url, server) = scripted(vec![REFUSED.into(), answer(fenced), answer(fenced)]);
    let engines = engines(&base_url, "");
    let got = ask(&engines, task(Some(schema.clone()))).unwrap();
    assert_eq!(task_output(&got).json, json!({"caller": "Dana"}));
    ask(&engines, task(Some(schema))).unwrap();
    let bodies = server.join().unwrap();
    assert_eq!(bodies[0]["response_format"]["json_schema"]["name"], "form");
    assert!(bodies[1].get("response_format").is_none() && bodies[2].get("response_format").is_none());
    assert!(bodies[2]["messages"][1]["content"].as_str().unwrap().contains("JSON Schema"));
}

#[test]
fn a_stage_without_a_json_answer_is_repeated_once_and_then_fails() {
    let brief = || TextWork::Stage(TextStage::Summary(SummarySpec { kind: SummaryType::Brief }));
    let good = "{\"summary\": \"Dana changes her flight.\"}";
    let (base_url, server) = scripted(vec![answer("I would rather not."), answer(good)]);
    let got = ask(&engines(&base_url, ""), brief()).unwrap();
    assert_eq!(json_output(&got)["text"], "Dana changes her flight.");
    assert_eq!(got.input_tokens, 22);
    assert!(
        server.join().unwrap()[1]["messages"][1]["content"].as_str().unwrap().contains("could not be used")
    );
    let (base_url, server) = scripted(vec![answer("no"), answer("[]")]);
    let failed = ask(&engines(&base_url, ""), brief());
    assert!(matches!(failed, Err(EngineError::BadAnswer { truncated: false, .. })), "{failed:?}");
    server.join().unwrap();
}

#[test]
fn an_interrupted_stream_is_a_transient_failure() {
    let cut = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
               data: {\"choices\":[{\"delta\":{\"content\":\"Da\"}}]}\n\n";
    let (base_url, server) = scripted(vec![cut.into()]);
    let mut deltas = Deltas::default();
    let ended = run(&engines(&base_url, ", streams = true"), task(None), &mut deltas, &CallContext::alone());
    assert!(matches!(ended, Err(EngineError::Backend { transient: true, .. })), "{ended:?}");
    assert_eq!(deltas.0, "Da");
    server.join().unwrap();
}

#[test]
fn a_refusal_is_reported_in_the_servers_words_and_not_retried() {
    let (base_url, server) = scripted(vec![REFUSED.into()]);
    let refused = ask(&engines(&base_url, ""), task(None)).unwrap_err();
    assert!(refused.to_string().contains("400: response_format is unknown"), "{refused}");
    server.join().unwrap();
}

#[test]
fn a_server_that_keeps_failing_is_not_called_for_a_while() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    drop(listener);
    let engines = engines(&base_url, "");
    for _ in 0..5 {
        let unreachable = ask(&engines, task(None)).unwrap_err().to_string();
        assert!(unreachable.contains("cannot be reached"), "{unreachable}");
    }
    let refused = ask(&engines, task(None)).unwrap_err().to_string();
    assert!(refused.contains("tried again in"), "{refused}");
}

#[test]
fn cancelling_a_call_does_not_wait_for_a_slow_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base_url = format!("http://127.0.0.1:{}/v1", listener.local_addr().unwrap().port());
    let context = CallContext::alone();
    let cancel = context.cancel.clone();
    let silent = std::thread::spawn(move || {
        let connection = listener.accept().unwrap();
        cancel.cancel();
        connection
    });
    let ended = run(&engines(&base_url, ""), task(None), &mut Deltas::default(), &context);
    assert!(matches!(ended, Err(EngineError::Cancelled)));
    drop(silent.join().unwrap());
}
