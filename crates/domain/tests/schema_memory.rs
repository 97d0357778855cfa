//! The memory that the schemas of tasks take while a request is read and while its steps are stored and loaded, in a
//! separate process with an allocator that counts.

mod counting_allocator;

use auris_domain::model::Capability;
use auris_domain::request::AnalysisRequest;
use auris_domain::request::json::parse_strict;
use auris_domain::step::StepWork;
use auris_domain::usage::Units;

use counting_allocator::peak_of;

/// 16 tasks with the same schema: arrays in arrays, each of which takes 150 times as much memory as a tree of values.
fn body() -> String {
    let value = format!("{}0{}", "[".repeat(30), "]".repeat(30));
    let schema = format!("{{\"enum\":[{}]}}", vec![value; 4_200].join(","));
    let task = |id: usize| {
        let format = format!("{{\"type\":\"json_schema\",\"name\":\"n\",\"schema\":{schema}}}");
        format!("{{\"id\":\"t{id}\",\"model\":\"m\",\"text\":{{\"format\":{format}}}}}")
    };
    let tasks: Vec<String> = (0..16).map(task).collect();
    format!("{{\"transcript\":{{\"text\":\"a\"}},\"processing\":{{\"tasks\":[{}]}}}}", tasks.join(","))
}

#[test]
fn schemas_take_no_more_memory_than_their_text() {
    let body = body();
    let read = || AnalysisRequest::parse(parse_strict(body.as_bytes()).unwrap()).unwrap();
    let (request, needed) = peak_of(read);
    assert!(needed < body.len(), "reading {} bytes took {needed}", body.len());
    for step in request.processing.steps {
        let work = StepWork { spec: step.spec, unit_bound: Units::default() };
        let (text, needed) = peak_of(|| work.to_column().unwrap());
        assert!(needed < 4 * text.len(), "writing {} bytes took {needed}", text.len());
        let (stored, needed) = peak_of(|| StepWork::from_column(Capability::Task, &text).unwrap());
        assert!(needed < 4 * text.len(), "loading {} bytes took {needed}", text.len());
        assert_eq!(stored, work);
    }
}
