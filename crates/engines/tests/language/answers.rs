//! Answers: the same each time, told as they grow, counted, cut, cancelled, and read from one memory.

use auris_domain::step::spec::{Effort, Reasoning};
use auris_engines::{CallContext, EngineError, TextRequest, TextSink, TextWork};
use serde_json::json;

use super::{Heard, SMALL, call, engines, run_task, task, task_output};

#[test]
fn a_greedy_answer_is_the_same_again_and_its_pieces_are_the_whole() {
    let (_folder, engines) = engines();
    let mut heard = Heard::default();
    let request = TextRequest { work: TextWork::Task(Box::new(task("Who calls?"))), transcript: call() };
    let first = engines.text(SMALL).unwrap().run(&request, &mut heard, &CallContext::alone()).unwrap();
    let again = run_task(&engines, task("Who calls?"));
    assert_eq!(first.output, again.output);
    let output = task_output(&first);
    assert_eq!(heard.0.concat(), output.text);
    assert!(!output.text.is_empty() && output.json.is_null());
    assert_eq!(first.resolved_model, SMALL);
}

#[test]
fn tokens_are_counted_and_a_limit_cuts() {
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

/// Cancels after the first piece.
struct Enough<'a>(&'a CallContext);

impl TextSink for Enough<'_> {
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
    let ended = engines.text(SMALL).unwrap().run(&request, &mut Enough(&context), &context);
    assert!(matches!(ended, Err(EngineError::Cancelled)));
}

#[test]
fn sixteen_tasks_over_one_transcript_read_it_once_even_side_by_side() {
    let (_folder, engines) = engines();
    let ask = |number: usize| {
        let mut question = task(&format!("Question {number}: is it so?"));
        question.spec.max_output_tokens = 2;
        run_task(&engines, question).response["timings"].clone()
    };
    let timings: Vec<_> = std::thread::scope(|scope| {
        let asked: Vec<_> = (0..16).map(|number| scope.spawn(move || ask(number))).collect();
        asked.into_iter().map(|asked| asked.join().unwrap()).collect()
    });
    let count = |name: &str| timings.iter().map(|timing| timing[name].as_u64().unwrap()).collect::<Vec<_>>();
    let (prompts, cached) = (count("prompt_tokens"), count("cached_tokens"));
    let read: u64 = prompts.iter().sum::<u64>() - cached.iter().sum::<u64>();
    assert_eq!(cached.iter().filter(|cached| **cached == 0).count(), 1, "{cached:?}");
    // The transcript once, and each question with its frame.
    assert!(read < prompts[0] + 16 * 40, "{read} of {}", prompts.iter().sum::<u64>());
}

#[test]
fn effort_is_refused_by_a_model_that_does_not_reason_and_it_says_so() {
    let (_folder, engines) = engines();
    let mut hard = task("Who calls?");
    hard.spec.reasoning = Some(Reasoning { effort: Effort::High });
    let answer = run_task(&engines, hard);
    assert_eq!(answer.response["reasoning"]["applied"], json!(false));
    assert_eq!(answer.response["reasoning"]["effort"], "high");
}
