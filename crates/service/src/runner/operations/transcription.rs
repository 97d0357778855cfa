//! The transcription step: the same listening as a synchronous call, with its segments told as events.

use auris_domain::event::EventType;
use auris_domain::usage::{Units, billed_seconds};
use auris_engines::SpeechOptions;
use auris_store::ClaimedStep;
use serde_json::{Value, json};

use super::feed::Feed;
use super::{context_of, model_of};
use crate::runner::lease::Signal;
use crate::runner::work::{Product, Trouble};
use crate::speech::{self, Heard, Recording};
use crate::{Service, metrics};

pub(super) async fn run(
    service: &Service,
    claimed: &ClaimedStep,
    signal: &Signal,
) -> Result<Product, Trouble> {
    let audio = service.audio_of(&claimed.job.id).await?;
    let (context, _stop) = context_of(claimed, signal);
    let recording = Recording {
        path: audio.path().to_owned(),
        model: model_of(claimed),
        options: options(&claimed.step.spec),
        context,
    };
    let mut hearing = service.listen(recording);
    tell(service, claimed, signal, &mut hearing).await?;
    let heard = hearing.finish().await?;
    let seconds = billed_seconds(heard.duration_seconds);
    metrics::audio_transcribed(seconds);
    Ok(Product {
        output: speech::document(&heard).document(),
        response: json!({"model": heard.resolved_model, "segments": heard.segments.len()}),
        resolved_model: Some(heard.resolved_model),
        units: Units { audio_seconds: seconds, ..Units::default() },
    })
}

/// Tells segments and progress while the engine listens. Segments told by an earlier attempt are not told again.
async fn tell(
    service: &Service,
    claimed: &ClaimedStep,
    signal: &Signal,
    hearing: &mut speech::Hearing,
) -> Result<(), Trouble> {
    let told = service.store.count_events(&claimed.job.id, EventType::TranscriptSegment).await;
    let told = told.map_err(crate::ServiceError::from)? as u64;
    let mut feed = Feed::new(service, claimed, signal);
    while let Some(heard) = hearing.heard.recv().await {
        match heard {
            Heard::Delta(_) => {}
            Heard::Segment(segment) if segment.id < told => {}
            Heard::Segment(segment) => feed.content(EventType::TranscriptSegment, json!(segment)),
            Heard::Progress { seconds_done, seconds_total } => feed.heard(seconds_done, seconds_total),
        }
        if hearing.heard.is_empty() {
            feed.flush().await?;
        }
    }
    Ok(feed.finish().await?)
}

fn options(spec: &Value) -> SpeechOptions {
    let text = |name: &str| spec[name].as_str().map(str::to_owned);
    SpeechOptions { language: text("language"), prompt: text("prompt") }
}
