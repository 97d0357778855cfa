//! Failures and delays on demand, by words such as `fake:fail` in a prompt, in instructions or in a transcript.

use std::time::{Duration, Instant};

use auris_engine_core::{CallContext, EngineError};

/// How often a delay checks for cancellation; short, so that a cancelled test ends quickly.
const CHECK_EVERY: Duration = Duration::from_millis(5);

/// Applies all directives in `text`. `fake:fail` applies to every operation, `fake:fail=summary` only to that stage.
pub(super) fn obey(text: &str, operation: &str, context: &CallContext) -> Result<(), EngineError> {
    context.check()?;
    for word in text.split_whitespace().filter_map(|word| word.strip_prefix("fake:")) {
        let (directive, value) = word.split_once('=').unwrap_or((word, ""));
        let applies = value.is_empty() || value == operation;
        match directive {
            "delay" => delay(value.parse().unwrap_or(0), context)?,
            "fail" if applies => return Err(failure("The fake model failed, as requested.", false)),
            "transient" if applies => {
                return Err(failure("The fake model is unavailable for a moment, as requested.", true));
            }
            "overloaded" if applies => return Err(EngineError::Overloaded),
            "internal" if applies => {
                return Err(EngineError::internal("the fake model broke, as requested"));
            }
            _ => {}
        }
    }
    Ok(())
}

fn failure(message: &str, transient: bool) -> EngineError {
    EngineError::Backend { message: message.into(), transient }
}

fn delay(milliseconds: u64, context: &CallContext) -> Result<(), EngineError> {
    let end = Instant::now() + Duration::from_millis(milliseconds);
    while Instant::now() < end {
        context.check()?;
        std::thread::sleep(CHECK_EVERY.min(end.saturating_duration_since(Instant::now())));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_applies_to_the_named_stage_only() {
        let context = CallContext::alone();
        assert!(obey("say fake:fail=summary please", "summary", &context).is_err());
        assert!(obey("say fake:fail=summary please", "topics", &context).is_ok());
        assert!(obey("fake:transient", "topics", &context).is_err());
    }

    #[test]
    fn a_cancelled_delay_ends_at_once() {
        let context = CallContext::alone();
        let waiting = context.clone();
        let delayed = std::thread::spawn(move || obey("fake:delay=3600000", "task", &waiting));
        context.cancel.cancel();
        assert!(matches!(delayed.join().unwrap(), Err(EngineError::Cancelled)));
    }
}
