//! The specs of steps, as the `spec` column contains them: the options of a request, and the bound.

use auris_domain::model::Capability;
use auris_domain::step::{StepSpec, StepWork, TextStage};
use serde_json::{Value, json};

use super::{example, parse};

/// Reads the column and checks that it is written with the same content.
#[track_caller]
fn rewritten(capability: Capability, options: &Value) -> StepSpec {
    let mut column = options.clone();
    column["bound"] = json!({"audio_seconds": 1, "input_tokens": 2, "output_tokens": 3, "characters": 4});
    let work = StepWork::from_column(capability, &column.to_string()).unwrap();
    assert_eq!(parse(&work.to_column().unwrap()), column);
    work.spec
}

/// Checks the options of a stage.
#[track_caller]
pub(crate) fn assert_stage_round_trip(capability: Capability, name: &str) {
    assert_eq!(rewritten(capability, &parse(&example(name))).capability(), capability);
}

/// Checks a task without its model, which has a column of its own.
#[track_caller]
pub(crate) fn assert_task_round_trip(name: &str) {
    rewritten(Capability::Task, &task(name));
}

/// Checks the example task with another value at a place in it.
#[track_caller]
pub(crate) fn assert_task_round_trip_with(pointer: &str, name: &str) {
    let mut task = task("Task");
    *task.pointer_mut(pointer).unwrap() = parse(&example(name));
    rewritten(Capability::Task, &task);
}

fn task(name: &str) -> Value {
    let mut task = parse(&example(name));
    task.as_object_mut().unwrap().shift_remove("model").unwrap();
    task
}

#[test]
fn a_stage_without_options_is_stored_without_its_model() {
    assert_eq!(rewritten(Capability::Topics, &json!({})), StepSpec::Stage(TextStage::Topics));
}
