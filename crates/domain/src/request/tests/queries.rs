//! Tests of queries, headers, webhook endpoints and fingerprints.

use serde_json::{Value, json};

use super::*;
use crate::metadata::Metadata;
use crate::request::headers::{idempotency_key, last_event_id, required_idempotency_key};
use crate::request::{EndpointRequest, Page, ResponseFormat, TranscriptionRequest, fingerprint};

fn endpoint(body: &Value) -> Checked<EndpointRequest> {
    let text = body.to_string();
    EndpointRequest::parse(RawJson::whole(&text).unwrap())
}

const JOB: &str = "job_00000000000000000000";

#[test]
fn the_default_page_size_is_20() {
    assert_eq!(Page::parse("").unwrap(), Page { limit: 20, after: None });
    assert_eq!(Page::parse("limit=1&unknown=2").unwrap().limit, 1);
    assert_eq!(Page::parse("limit=100").unwrap().limit, 100);
}

#[test]
fn a_limit_is_an_integer_from_1_to_100() {
    for query in ["limit=0", "limit=101", "limit=-1", "limit=99999999999999999999"] {
        assert_refused(Page::parse(query), ErrorCode::InvalidValue, "limit");
    }
    for query in ["limit=", "limit", "limit=ten", "limit=1.5", "limit=%00", "limit=-", "limit=+1"] {
        assert_refused(Page::parse(query), ErrorCode::InvalidType, "limit");
    }
}

#[test]
fn a_cursor_is_a_job_id() {
    assert_eq!(Page::parse(&format!("after={JOB}")).unwrap().after, Some(JOB.parse().unwrap()));
    for query in ["after=", "after=x", "after=stp_00000000000000000000", "after=%FF"] {
        assert_refused(Page::parse(query), ErrorCode::InvalidCursor, "after");
    }
}

#[test]
fn a_known_query_parameter_can_be_given_only_once() {
    assert_refused(Page::parse("limit=1&limit=1"), ErrorCode::InvalidValue, "limit");
    assert_refused(Page::parse(&format!("after={JOB}&after={JOB}")), ErrorCode::InvalidValue, "after");
    assert!(Page::parse("x=1&x=2").is_ok());
}

#[test]
fn an_idempotency_key_has_1_to_255_printable_characters() {
    assert_eq!(idempotency_key(None).unwrap(), None);
    assert_eq!(idempotency_key(Some(b"a!~")).unwrap().as_deref(), Some("a!~"));
    assert_eq!(
        idempotency_key(Some(b"order 47  of \"Ann\"")).unwrap().as_deref(),
        Some("order 47  of \"Ann\"")
    );
    assert_eq!(
        idempotency_key(Some(b" \ta b ")).unwrap().as_deref(),
        Some("a b"),
        "without what is around it"
    );
    assert!(idempotency_key(Some(&[b'k'; 255])).is_ok());
    for invalid in [&b""[..], b"  ", b"a\tb", b"a\n", b"a\x7f", b"\xc3\xa9", b"\xff", &[b'k'; 256]] {
        assert_refused(idempotency_key(Some(invalid)), ErrorCode::InvalidIdempotencyKey, "Idempotency-Key");
    }
}

#[test]
fn a_missing_key_is_an_error_if_it_is_required() {
    assert_eq!(required_idempotency_key(Some(b"k")).unwrap(), "k");
    assert_refused(required_idempotency_key(None), ErrorCode::IdempotencyKeyRequired, "Idempotency-Key");
}

#[test]
fn a_last_event_id_is_a_number() {
    assert_eq!(last_event_id(None).unwrap(), None);
    assert_eq!(last_event_id(Some(b"0")).unwrap(), Some(0));
    assert_eq!(last_event_id(Some(b"9223372036854775807")).unwrap(), Some(i64::MAX));
    for invalid in [&b""[..], b"-1", b"+1", b"1.0", b"x", b"9223372036854775808", b"\xff"] {
        assert_refused(last_event_id(Some(invalid)), ErrorCode::InvalidLastEventId, "Last-Event-ID");
    }
}

#[test]
fn an_endpoint_has_an_https_url_and_nothing_else() {
    assert_eq!(endpoint(&json!({"url": "https://a.example/h"})).unwrap().url, "https://a.example/h");
    assert_refused(endpoint(&json!({})), ErrorCode::MissingRequiredParameter, "url");
    assert_refused(endpoint(&json!({"url": null})), ErrorCode::InvalidType, "url");
    assert_refused(endpoint(&json!({"url": "http://a.example"})), ErrorCode::InvalidWebhookUrl, "url");
    let extra = json!({"url": "https://a.example", "secret": "s"});
    assert_refused(endpoint(&extra), ErrorCode::UnknownParameter, "secret");
    assert_refused(endpoint(&json!([])), ErrorCode::InvalidType, "");
}

fn print_of(body: &Value) -> String {
    let text = body.to_string();
    fingerprint::body(RawJson::whole(&text).unwrap()).unwrap()
}

/// Stored fingerprints must stay comparable: a request that is sent again after an upgrade is the same request.
#[test]
fn a_large_body_has_the_fingerprint_of_its_values() {
    let text = "ä\"\\".repeat(20_000);
    let items: Vec<Value> =
        (0..9_000).map(|number| json!({"b": number, "a": [number, null, true]})).collect();
    let body = json!({"z": text, "items": items, "a": 1.0});
    assert_eq!(print_of(&body), fingerprint::of_value(&body));
}

/// A body in which every place that has defaults occurs.
fn body_with(task: &Value, format: &Value, more: &Value) -> Value {
    let mut format_and_schema = json!({"type": "json_schema", "name": "n", "schema": {"type": "object"}});
    merge(&mut format_and_schema, format);
    let mut first = json!({"id": "a", "model": "m"});
    merge(&mut first, task);
    let second = json!({"id": "b", "model": "m", "text": {"format": format_and_schema}});
    let mut body = json!({
        "processing": {"entities": {}, "sentiment": {}, "summary": {}, "tasks": [first, second]},
        "transcript": {"text": "Hello."},
    });
    merge(&mut body, more);
    body
}

/// Adds the fields of one object to another, at every depth.
fn merge(into: &mut Value, more: &Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (name, value) in more {
                merge(into.entry(name.clone()).or_insert(json!({})), value);
            }
        }
        (into, more) => *into = more.clone(),
    }
}

#[test]
fn a_spelled_out_default_is_the_same_request_as_one_left_out() {
    let none = json!({});
    let plain = body_with(&none, &none, &none);
    let task = json!({"max_output_tokens": 1024.0, "text": {"format": {"type": "text"}}});
    let more = json!({
        "async": true,
        "metadata": {},
        "processing": {
            "failure_policy": "fail_fast",
            "entities": {"types": []},
            "sentiment": {"granularity": "document"},
            "summary": {"type": "brief"},
        },
        "transcript": {"language": null, "segments": [], "utterances": []},
    });
    let spelled_out = body_with(&task, &json!({"strict": true}), &more);
    let request = AnalysisRequest { asynchronous: None, ..accepted(spelled_out.clone()) };
    assert_eq!(request, accepted(plain.clone()), "the parser agrees");
    assert_eq!(print_of(&spelled_out), print_of(&plain));
    let no_tasks = json!({"processing": {"summary": {}, "tasks": []}, "job_id": JOB});
    assert_eq!(print_of(&no_tasks), print_of(&json!({"processing": {"summary": {}}, "job_id": JOB})));
}

/// Every engine takes a task without a temperature as one with the temperature 0.
#[test]
fn the_temperature_0_that_is_spelled_out_is_the_same_request_as_one_left_out() {
    let none = json!({});
    for temperature in [json!(0), json!(0.0)] {
        let spelled_out = body_with(&json!({"temperature": temperature}), &none, &none);
        assert_eq!(print_of(&spelled_out), print_of(&body_with(&none, &none, &none)));
    }
}

#[test]
fn a_value_that_is_not_the_default_is_another_request() {
    let none = json!({});
    let plain = body_with(&none, &none, &none);
    let mut prints = vec![
        print_of(&plain),
        print_of(&body_with(&json!({"max_output_tokens": 1025}), &none, &none)),
        print_of(&body_with(&json!({"temperature": 0.1}), &none, &none)),
        print_of(&body_with(&none, &json!({"strict": false}), &none)),
        print_of(&body_with(&none, &json!({"schema": {"strict": true}}), &none)),
    ];
    for more in [
        json!({"async": false}),
        json!({"metadata": {"async": "true"}}),
        json!({"processing": {"failure_policy": "continue_independent"}}),
        json!({"processing": {"entities": {"types": ["person"]}}}),
        json!({"processing": {"sentiment": {"granularity": "utterance"}}}),
        json!({"processing": {"summary": {"type": "bullets"}}}),
        json!({"processing": {"summary": {"model": "m"}}}),
        json!({"transcript": {"language": "en"}}),
        json!({"transcript": {"async": true}}),
        json!({"transcript": {"words": []}}),
        json!({"transcript": {"segments": [{"text": "", "language": null}]}}),
    ] {
        prints.push(print_of(&body_with(&none, &none, &more)));
    }
    let count = prints.len();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), count);
}

/// Without exact parsing of numbers, some change in the last digit each time they are written and read.
#[test]
fn a_number_that_is_written_again_keeps_its_fingerprint() {
    for number in ["111111111151111111114", "0.1234567890123456789", "1.7976931348623157e308"] {
        let text = format!(r#"{{"metadata":{number}}}"#);
        let value: Value = serde_json::from_str(&text).unwrap();
        let print = fingerprint::body(RawJson::whole(&text).unwrap()).unwrap();
        assert_eq!(print, print_of(&value), "{number}");
    }
}

/// Earlier versions stored the fingerprint of all values of the body.
#[test]
fn a_request_without_spelled_out_defaults_keeps_its_fingerprint() {
    let task = json!({"max_output_tokens": 9, "sources": ["#/summary/text"], "reasoning": {"effort": "low"}});
    let more = json!({
        "async": false,
        "metadata": {"a": "b"},
        "processing": {"failure_policy": "continue_independent", "max_cost_usd": "1.5", "topics": {}},
        "transcript": {"segments": [{"text": "x", "y": null}], "z": {"segments": [], "strict": true}},
    });
    let body = body_with(&task, &json!({"strict": false, "description": "d"}), &more);
    assert_eq!(print_of(&body), fingerprint::of_value(&body));
    let minimal = minimal();
    assert_eq!(print_of(&minimal), fingerprint::of_value(&minimal));
}

/// Computed apart from this code, from its description.
#[test]
fn the_fingerprint_of_a_body_is_the_same_in_every_version() {
    let text = r##"{"transcript": {"text": "H\u00e4llo \"you\".", "segments":
        [{"text": "x", "start": 1.5, "ok": true, "none": null, "no": false}], "own \"\u00e4": {"b": 2.0, "a": []}},
        "processing": {"tasks": [{"id": "t", "model": "m", "max_output_tokens": 9, "sources": ["#/summary/text"]}],
        "summary": {"type": "bullets"}}}"##;
    let print = fingerprint::body(RawJson::whole(text).unwrap()).unwrap();
    assert_eq!(print, "632f19391ee4ad00f3ea2bba54759b619d648d1917e029f26ffa3b03658bd05d");
}

#[test]
fn a_large_object_has_the_fingerprint_of_its_values() {
    let fields = (0..9_000).map(|number| (format!("\"{}\u{e4}", number * 7_919 % 9_000), json!([number])));
    let mut inner = Value::Object(fields.collect());
    for depth in 0..5 {
        let fields = (0..2_000).map(|number| (format!("{}", number * 1_009 % 2_000), json!(number)));
        let mut outer: serde_json::Map<_, _> = fields.collect();
        outer.insert(format!("1{depth}x"), inner);
        inner = Value::Object(outer);
    }
    let body = json!({"z": inner, "a": 1});
    assert_eq!(print_of(&body), fingerprint::of_value(&body));
}

/// The source that a task reads by default depends on the rest of the request.
#[test]
fn the_default_source_that_is_spelled_out_is_the_same_request_as_one_left_out() {
    const TEXT: &str = "#/transcript/text";
    const UTTERANCES: &str = "#/transcript/utterances";
    let none = json!({});
    let utterances = json!({"transcript": {"utterances": [{"text": "Hello."}]}});
    let diarization = json!({"job_id": JOB, "processing": {"diarization": {}}});
    let cases =
        [(&none, TEXT, UTTERANCES), (&utterances, UTTERANCES, TEXT), (&diarization, UTTERANCES, TEXT)];
    for (more, default, other) in cases {
        let left_out = print_of(&body_with(&none, &none, more));
        let with = |sources: Value| print_of(&body_with(&json!({"sources": sources}), &none, more));
        assert_eq!(with(json!([default])), left_out, "{more}");
        for sources in [json!([other]), json!([default, default]), json!([]), json!(default)] {
            assert_ne!(with(sources), left_out, "{more}");
        }
    }
}

/// The transcript of an earlier job has no utterances.
#[test]
fn the_default_source_of_an_earlier_job_is_its_text() {
    let with = |task: Value| print_of(&json!({"job_id": JOB, "processing": {"tasks": [task]}}));
    assert_eq!(with(json!({"sources": ["#/transcript/text"]})), with(json!({})));
    assert_ne!(with(json!({"sources": ["#/transcript/utterances"]})), with(json!({})));
}

/// Each level is large, so reading a level reads all levels in it.
#[test]
fn a_large_body_that_is_nested_deeply_has_the_fingerprint_of_its_values() {
    let long = "x".repeat(100_000);
    let mut inner = json!([long, [], {}, 3.0]);
    for depth in 0..50 {
        inner = json!({"b": depth, "c": [inner, [depth, "]"], {}], "a": {"\u{e4}": long.get(..depth)}});
    }
    let body = json!({"z": inner, "a": 1});
    assert_eq!(print_of(&body), fingerprint::of_value(&body));
    let spaced = serde_json::to_string_pretty(&body).unwrap();
    let print = fingerprint::body(RawJson::whole(&spaced).unwrap()).unwrap();
    assert_eq!(print, fingerprint::of_value(&body));
}

#[test]
fn the_order_of_fields_does_not_change_the_fingerprint() {
    let one = print_of(&json!({"a": 1, "b": {"c": [1.0, "x"], "d": null}}));
    let two = print_of(&json!({"b": {"d": null, "c": [1, "x"]}, "a": 1}));
    assert_eq!(one, two);
    assert_eq!(one.len(), 64);
}

#[test]
fn different_bodies_have_different_fingerprints() {
    let bodies = [
        json!(null),
        json!({}),
        json!([]),
        json!(""),
        json!("1"),
        json!(1),
        json!(1.5),
        json!(true),
        json!(false),
        json!(["a", "b"]),
        json!(["ab"]),
        json!([["a"], "b"]),
        json!({"a": "b"}),
        json!({"a": null}),
        json!({"ab": null}),
    ];
    let mut prints: Vec<String> = bodies.iter().map(print_of).collect();
    prints.sort();
    prints.dedup();
    assert_eq!(prints.len(), bodies.len());
}

#[test]
fn an_uploads_fingerprint_covers_its_fields_and_its_file() {
    let request = TranscriptionRequest {
        model: "m".into(),
        asynchronous: true,
        language: None,
        prompt: None,
        response_format: ResponseFormat::Json,
        stream: false,
        webhook_url: None,
        metadata: Metadata::default(),
    };
    let other = TranscriptionRequest { language: Some("en".into()), ..request.clone() };
    let print = fingerprint::upload(&request, "aa", None);
    assert_eq!(print, fingerprint::upload(&request.clone(), "aa", None));
    assert_ne!(print, fingerprint::upload(&request, "ab", None));
    assert_ne!(print, fingerprint::upload(&other, "aa", None));
}
