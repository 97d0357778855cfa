//! Answers of a local language model: repeatable, streamed, limited, cancelled, and with a shared prompt cache.

use auris_domain::step::spec::{Effort, Reasoning};
use auris_engines::{CallContext, EngineError, TextRequest, TextSink, TextWork};
use serde_json::json;

use super::{Deltas, SMALL, call, engines, run_task, task, task_output};

#[test]
fn a_greedy_answer_is_repeatable_and_its_deltas_add_up_to_it() {
    let (_folder, engines) = engines();
    let mut deltas = Deltas::default();
    let request = TextRequest { work: TextWork::Task(Box::new(task("Who calls?"))), transcript: call() };
    let first = engines.text(SMALL).unwrap().run(&request, &mut deltas, &CallContext::alone()).unwrap();
    let again = run_task(&engines, task("Who calls?"));
    assert_eq!(first.output, again.output);
    let output = task_output(&first);
    assert_eq!(deltas.0.concat(), output.text);
    assert!(!output.text.is_empty() && output.json.is_null());
    assert_eq!(first.resolved_model, SMALL);
}

#[test]
fn tokens_are_counted_and_limited() {
    let (_folder, engines) = engines();
    let mut short = task("Tell everything about the call, in detail.");
    short.spec.max_output_tokens = 3;
    let answer = run_task(&engines, short);
    assert_eq!((answer.output_tokens, answer.response["finish_reason"].as_str()), (3, Some("length")));
    assert!(answer.truncated);
    let prompt = answer.response["timings"]["prompt_tokens"].as_u64().unwrap();
    assert_eq!(answer.input_tokens, prompt);
    assert!(prompt > 100, "{prompt}");
}

/// Cancels at the first delta.
struct CancelOnDelta<'a>(&'a CallContext);

impl TextSink for CancelOnDelta<'_> {
    fn delta(&mut self, _: &str) {
        self.0.cancel.cancel();
    }
}

#[test]
fn a_cancelled_answer_ends() {
    let (_folder, engines) = engines();
    let mut long = task("Tell a very long story about the call.");
    long.spec.max_output_tokens = 100_000;
    let request = TextRequest { work: TextWork::Task(Box::new(long)), transcript: call() };
    let context = CallContext::alone();
    let ended = engines.text(SMALL).unwrap().run(&request, &mut CancelOnDelta(&context), &context);
    assert!(matches!(ended, Err(EngineError::Cancelled)));
}

#[test]
fn sixteen_concurrent_tasks_on_one_transcript_read_it_once() {
    let (_folder, engines) = engines();
    let ask = |number: usize| {
        let mut question = task(&format!("Question {number}: is it so?"));
        question.spec.max_output_tokens = 2;
        run_task(&engines, question).response["timings"].clone()
    };
    let timings: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..16).map(|number| scope.spawn(move || ask(number))).collect();
        handles.into_iter().map(|handle| handle.join().unwrap()).collect()
    });
    let count = |name: &str| timings.iter().map(|timing| timing[name].as_u64().unwrap()).collect::<Vec<_>>();
    let (prompts, cached) = (count("prompt_tokens"), count("cached_tokens"));
    let read: u64 = prompts.iter().sum::<u64>() - cached.iter().sum::<u64>();
    assert_eq!(cached.iter().filter(|cached| **cached == 0).count(), 1, "{cached:?}");
    // The transcript once, and each question with its part of the prompt template.
    assert!(read < prompts[0] + 16 * 40, "{read} of {}", prompts.iter().sum::<u64>());
}

#[test]
fn a_model_without_reasoning_reports_that_the_effort_was_not_applied() {
    let (_folder, engines) = engines();
    let mut hard = task("Who calls?");
    hard.spec.reasoning = Some(Reasoning { effort: Effort::High });
    let answer = run_task(&engines, hard);
    assert_eq!(answer.response["reasoning"]["applied"], json!(false));
    assert_eq!(answer.response["reasoning"]["effort"], "high");
}
