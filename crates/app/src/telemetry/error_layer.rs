//! Keeps the last errors of the log, for the console.

use std::fmt::{Debug, Write};

use auris_domain::time::Clock;
use auris_service::operator::{LoggedError, RecentErrors};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;

/// Adds every record of the level `ERROR` to the list.
pub(super) struct ErrorLayer(pub(super) RecentErrors);

impl<S: Subscriber> Layer<S> for ErrorLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let metadata = event.metadata();
        if *metadata.level() != Level::ERROR {
            return;
        }
        let mut text = RecordText::default();
        event.record(&mut text);
        self.0.add(LoggedError {
            at: Clock::System.now().timestamp(),
            message: format!("{}{}", text.message, text.fields),
            target: metadata.target().to_owned(),
        });
    }
}

/// The message and the fields of a record, as a line of the log has them.
#[derive(Default)]
struct RecordText {
    message: String,
    fields: String,
}

impl Visit for RecordText {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to text cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[test]
    fn errors_are_kept_with_their_fields_and_warnings_are_not() {
        let errors = RecentErrors::default();
        let subscriber = tracing_subscriber::registry().with(ErrorLayer(errors.clone()));
        tracing::subscriber::with_default(subscriber, || {
            tracing::warn!("not kept");
            tracing::error!(error = %"disk full", model = "m", "cannot write");
        });
        let kept = errors.list();
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].message, "cannot write error=disk full model=\"m\"");
        assert_eq!(kept[0].target, module_path!());
        assert!(kept[0].at.0 > 0);
    }
}
