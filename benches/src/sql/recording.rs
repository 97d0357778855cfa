//! The statements that the store ran for one operation, ready to be run again for other jobs.
//!
//! The baseline of a bench replays what the store itself sends to the database, so the two cannot drift apart.

use std::sync::Arc;

use auris_domain::id::JobId;
use auris_domain::time::Clock;
use auris_store::recording::{Argument, Recorded};

use super::{Statement, Value};

/// Length of an id: a prefix of four characters such as `job_`, and 20 more.
const ID_LENGTH: usize = 24;
/// Ids that belong to one job. Every replay gets new ones; all other ids stay as they were recorded.
const PREFIXES_OF_A_JOB: [&str; 6] = ["job_", "stp_", "art_", "evt_", "led_", "dlv_"];

/// The statements of one operation, with gaps where the ids of a job were.
pub(crate) struct Recording {
    pub(super) steps: Vec<Step>,
    /// A claim works on the job that the database returns. If it returns none, nothing is claimed.
    pub(super) is_claim: bool,
    /// The ids in the order in which they were first used.
    recorded_ids: Vec<String>,
}

pub(super) enum Step {
    Begin,
    Run { statement: Statement, arguments: Vec<Template> },
    Commit,
}

/// An argument: the same in every replay, or a text with ids in it.
pub(super) enum Template {
    Constant(Value),
    Text(Vec<Part>),
}

pub(super) enum Part {
    Literal(String),
    /// The position in `Ids`.
    Id(usize),
}

/// The ids of one replay.
pub(crate) struct Ids(Vec<String>);

impl Recording {
    pub(crate) fn new(recorded: Vec<Recorded>) -> Self {
        let mut recording = Self { steps: Vec::new(), is_claim: false, recorded_ids: Vec::new() };
        for step in recorded {
            let step = recording.step(step);
            recording.steps.push(step);
        }
        recording
    }

    pub(crate) fn of_claim(recorded: Vec<Recorded>) -> Self {
        Self { is_claim: true, ..Self::new(recorded) }
    }

    /// Fresh ids for everything in the recording.
    pub(crate) fn fresh_ids(&self) -> Ids {
        let now = Clock::System.now();
        let fresh = |id: &String| format!("{}{}", &id[..4], &JobId::generate(now).as_str()[4..]);
        Ids(self.recorded_ids.iter().map(fresh).collect())
    }

    fn step(&mut self, recorded: Recorded) -> Step {
        match recorded {
            Recorded::Begin => Step::Begin,
            Recorded::Commit => Step::Commit,
            Recorded::Statement { text, arguments } => Step::Run {
                statement: Arc::from(text),
                arguments: arguments.into_iter().map(|argument| self.template(argument)).collect(),
            },
        }
    }

    fn template(&mut self, argument: Argument) -> Template {
        match argument {
            Argument::Integer(number) => Template::Constant(Value::Integer(number)),
            Argument::Text(None) => Template::Constant(Value::Text(None)),
            Argument::Text(Some(text)) => match self.parts(&text) {
                parts if parts.is_empty() => Template::Constant(Value::Text(Some(text))),
                parts => Template::Text(parts),
            },
        }
    }

    /// The text cut at its ids; empty if it has none.
    fn parts(&mut self, text: &str) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some(start) = find_id(rest) {
            let (before, from) = rest.split_at(start);
            let (id, after) = from.split_at(ID_LENGTH);
            parts.push(Part::Literal(before.to_owned()));
            parts.push(Part::Id(self.number(id)));
            rest = after;
        }
        if !parts.is_empty() {
            parts.push(Part::Literal(rest.to_owned()));
        }
        parts
    }

    fn number(&mut self, id: &str) -> usize {
        let known = self.recorded_ids.iter().position(|recorded| recorded == id);
        known.unwrap_or_else(|| {
            self.recorded_ids.push(id.to_owned());
            self.recorded_ids.len() - 1
        })
    }
}

impl Template {
    pub(super) fn value(&self, ids: &Ids) -> Value {
        match self {
            Self::Constant(value) => value.clone(),
            Self::Text(parts) => Value::Text(Some(parts.iter().map(|part| part.text(ids)).collect())),
        }
    }
}

impl Part {
    fn text<'a>(&'a self, ids: &'a Ids) -> &'a str {
        match self {
            Self::Literal(text) => text,
            Self::Id(number) => &ids.0[*number],
        }
    }
}

impl Ids {
    /// Uses the job and the step in the values instead of the fresh ones.
    pub(super) fn take_over(&mut self, returned: &[(String, Value)]) {
        for (_, value) in returned {
            let Value::Text(Some(id)) = value else { continue };
            let is_id = id.len() == ID_LENGTH && (id.starts_with("job_") || id.starts_with("stp_"));
            if is_id && let Some(mine) = self.0.iter_mut().find(|mine| mine[..4] == id[..4]) {
                mine.clone_from(id);
            }
        }
    }

    /// What `take_over` of the next operation needs.
    pub(super) fn job_and_step(&self) -> Vec<(String, Value)> {
        let of_job = self.0.iter().filter(|id| id.starts_with("job_") || id.starts_with("stp_"));
        of_job.map(|id| (String::new(), Value::from(id.as_str()))).collect()
    }
}

fn find_id(text: &str) -> Option<usize> {
    let starts = PREFIXES_OF_A_JOB.iter().flat_map(|prefix| text.match_indices(prefix));
    let ids = starts.map(|(start, _)| start).filter(|start| {
        let id = text.get(start + 4..start + ID_LENGTH);
        id.is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    });
    ids.min()
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = "job_00000000000000000001";
    const STEP: &str = "stp_00000000000000000002";

    fn statement(arguments: Vec<Argument>) -> Recorded {
        Recorded::Statement { text: "UPDATE".into(), arguments }
    }

    fn values(recording: &Recording, ids: &Ids) -> Vec<Value> {
        let mut values = Vec::new();
        for step in &recording.steps {
            if let Step::Run { arguments, .. } = step {
                values.extend(arguments.iter().map(|argument| argument.value(ids)));
            }
        }
        values
    }

    #[test]
    fn ids_of_a_job_are_replaced_everywhere_and_nothing_else_is() {
        let json = format!(r#"[{{"job":"{JOB}","step":"{STEP}","note":"job_short"}}]"#);
        let project = "prj_00000000000000000003".to_owned();
        let arguments = [JOB.to_owned(), json, project.clone()].map(|text| Argument::Text(Some(text)));
        let recording = Recording::new(vec![statement(arguments.to_vec())]);
        let ids = recording.fresh_ids();
        let [job, step] = ids.0.as_slice() else { panic!("{:?}", ids.0) };
        assert_ne!(job, JOB);
        let wanted =
            [job.clone(), format!(r#"[{{"job":"{job}","step":"{step}","note":"job_short"}}]"#), project];
        assert_eq!(values(&recording, &ids), wanted.map(|text| Value::Text(Some(text))));
    }

    #[test]
    fn a_claimed_job_replaces_the_recorded_one() {
        let recording = Recording::new(vec![statement(vec![Argument::Text(Some(JOB.to_owned()))])]);
        let mut ids = recording.fresh_ids();
        let other = "job_0000000000000000000z";
        ids.take_over(&[("job_id".to_owned(), Value::from(other))]);
        assert_eq!(values(&recording, &ids), [Value::from(other)]);
    }
}
