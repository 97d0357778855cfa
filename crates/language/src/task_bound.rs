//! The most tokens that a task can use, counted before it runs.

use auris_domain::step::spec::TextFormat;
use auris_domain::usage::TokenBound;
use auris_engine_core::EngineError;
use auris_engine_core::text::TaskRequest;

use super::chat::ChatModel;
use super::conversation::{FLAW_BYTES, repaired};
use super::task::{
    NOTE_TOKENS, note_request, question, source_room, task_request, unnumbered, written_sources,
};
use super::windows;

/// The bound of a task; `None` if its tokens cannot be counted. An answer with a schema may be asked for twice.
/// `unknown_tokens` is the most that sources have which do not exist yet.
pub(super) fn bound(
    model: &dyn ChatModel,
    task: &TaskRequest,
    unknown_tokens: u64,
) -> Result<Option<TokenBound>, EngineError> {
    let question = question(task);
    let repair = repaired(&question, "");
    let first = Attempt { model, task, question, flaw_tokens: 0 }.bound(unknown_tokens)?;
    match (first, &task.spec.answer.format) {
        (None, _) | (_, TextFormat::Text) => Ok(first),
        (Some(first), TextFormat::JsonSchema(_)) => {
            let second = Attempt { model, task, question: repair, flaw_tokens: FLAW_BYTES as u64 };
            Ok(second.bound(unknown_tokens)?.map(|second| first + second))
        }
    }
}

/// One attempt at a task.
struct Attempt<'a> {
    model: &'a dyn ChatModel,
    task: &'a TaskRequest,
    question: String,
    /// The most that the error of the first answer adds to the question.
    flaw_tokens: u64,
}

impl Attempt<'_> {
    fn bound(&self, unknown_tokens: u64) -> Result<Option<TokenBound>, EngineError> {
        let sources = written_sources(self.task);
        let Some(prompt) = self.prompt_tokens(&sources)? else { return Ok(None) };
        let room = source_room(self.model, self.task, &self.question, self.flaw_tokens as usize)? as u64;
        if self.model.count_tokens(&sources)? as u64 + unknown_tokens <= room {
            return Ok(Some(self.with_answer(prompt + unknown_tokens)));
        }
        if unknown_tokens > 0 { Ok(None) } else { self.with_notes(&sources, room) }
    }

    /// Sources that are too long are read in windows, and the notes on them in the last question. `None` if the notes
    /// could be too long as well.
    fn with_notes(&self, sources: &str, room: u64) -> Result<Option<TokenBound>, EngineError> {
        let windows = windows::cut(&unnumbered(sources), self.model, room as usize, usize::MAX)?;
        // Each ends with a line break.
        let notes = windows.len() as u64 * u64::from(NOTE_TOKENS + 1);
        let Some(prompt) = self.prompt_tokens("")?.filter(|_| notes <= room) else { return Ok(None) };
        let mut sum = self.with_answer(prompt + notes);
        for window in &windows {
            let asked = self.model.prompt_tokens(&note_request(self.task, &window.text))?;
            sum = sum + TokenBound { input: asked.unwrap_or_default(), output: NOTE_TOKENS.into() };
        }
        Ok(Some(sum))
    }

    fn with_answer(&self, prompt_tokens: u64) -> TokenBound {
        TokenBound {
            input: prompt_tokens + self.flaw_tokens,
            output: self.task.spec.max_output_tokens.into(),
        }
    }

    fn prompt_tokens(&self, sources: &str) -> Result<Option<u64>, EngineError> {
        self.model.prompt_tokens(&task_request(self.task, sources, self.question.clone()))
    }
}
