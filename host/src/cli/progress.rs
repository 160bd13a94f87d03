//! What takes long is said on stderr while it goes on, whatever the log level.

use super::output::Output;
use portcullis_plugins::PROGRESS;
use std::fmt::Debug;
use tracing::field::{Field, Visit};
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

/// Shows the words of each event that [`is_progress`].
pub(crate) struct Progress;

pub(crate) fn is_progress(metadata: &Metadata<'_>) -> bool {
    metadata.target() == PROGRESS
}

impl<S: Subscriber> Layer<S> for Progress {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut words = Words::default();
        event.record(&mut words);
        Output::person(&words.0);
    }
}

#[derive(Default)]
struct Words(String);

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.0 = super::output::printable(&format!("{value:?}"));
        }
    }
}
