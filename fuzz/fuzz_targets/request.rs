//! Reads arbitrary bytes as the JSON body of each request that has one.
//!
//! It finds panics, and four broken promises: what is accepted is valid JSON, a body has the same fingerprint each time,
//! a fingerprint does not depend on white space, and the analysis that follows a transcription can be requested later.

#![no_main]

use std::sync::LazyLock;

use auris_domain::id::JobId;
use auris_domain::request::console::{
    CreditRequest, NewKeyRequest, NewOperatorKeyRequest, ProjectChanges, ProjectRequest, PullRequest,
    RotateRequest, SignInRequest,
};
use auris_domain::request::json::{RawJson, parse_strict};
use auris_domain::request::{
    AnalysisRequest, EndpointRequest, FollowUpRequest, SpeakerNamesRequest, TranscriptionFields,
    TranscriptionRequest, fingerprint,
};
use auris_domain::time::Millis;
use libfuzzer_sys::fuzz_target;

/// A transcription that an analysis can follow.
static TRANSCRIPTION: LazyLock<TranscriptionRequest> = LazyLock::new(|| {
    let mut fields = TranscriptionFields::default();
    fields.set("model", b"m").expect("a model");
    fields.set("async", b"true").expect("a boolean");
    fields.finish().expect("a request")
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(body) = parse_strict(bytes) else { return };
    let value: serde_json::Value = serde_json::from_slice(bytes).expect("an accepted body is valid JSON");
    let _ = AnalysisRequest::parse(body);
    let _ = EndpointRequest::parse(body);
    read_as_console(body);
    read_as_follow_up(body);
    let Ok(printed) = fingerprint::body(body) else { return };
    assert_eq!(fingerprint::body(body).ok().as_ref(), Some(&printed));
    let spaced = serde_json::to_vec_pretty(&value).expect("a value can be written");
    let spaced = parse_strict(&spaced).expect("the same JSON is accepted with white space");
    assert_eq!(fingerprint::body(spaced).ok(), Some(printed));
});

/// The requests of the console and of operators.
fn read_as_console(body: RawJson<'_>) {
    let _ = SignInRequest::parse(body);
    let _ = SpeakerNamesRequest::parse(body);
    let _ = ProjectRequest::parse(body);
    let _ = ProjectChanges::parse(body);
    let _ = CreditRequest::parse(body);
    let _ = NewKeyRequest::parse(body);
    let _ = NewOperatorKeyRequest::parse(body);
    let _ = RotateRequest::parse(body);
    let _ = PullRequest::parse(body);
}

/// The analysis in the form of a transcription. The job's id is added to it when the job is known.
fn read_as_follow_up(body: RawJson<'_>) {
    let Ok(follow_up) = FollowUpRequest::parse(body.as_str(), &TRANSCRIPTION) else { return };
    let later = follow_up.for_job(&JobId::first_of(Millis(0)));
    let later = parse_strict(later.as_bytes()).expect("the whole request is valid JSON");
    assert!(AnalysisRequest::parse(later).is_ok_and(|request| request == *follow_up.analysis()));
}
