//! The diarization step: who speaks when in the retained audio.

use auris_domain::usage::{Units, billed_seconds};
use auris_engines::{DiarizationOptions, EngineError, ProgressSink};
use auris_store::ClaimedStep;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use super::feed::Feed;
use super::{context_of, model_of};
use crate::runner::lease::Signal;
use crate::runner::work::{Product, Trouble};
use crate::{Service, ServiceError, speakers};

pub(super) async fn run(
    service: &Service,
    claimed: &ClaimedStep,
    signal: &Signal,
) -> Result<Product, Trouble> {
    let audio = service.audio_of(&claimed.job.id).await?;
    let (context, _stop) = context_of(claimed, signal);
    let (engines, model) = (std::sync::Arc::clone(&service.engines), model_of(claimed));
    let (source, options) = (engines.source(audio.path()), options(&claimed.step.spec));
    let name = model.clone();
    let (sender, mut heard) = unbounded_channel();
    let diarized = tokio::task::spawn_blocking(move || {
        let gone = || EngineError::Internal(format!("the model `{name}` is gone"));
        engines.diarizer(&name).ok_or_else(gone)?.diarize(&source, &options, &mut Channel(sender), &context)
    });
    let mut feed = Feed::new(service, claimed, signal);
    while let Some((seconds_done, seconds_total)) = heard.recv().await {
        feed.heard(seconds_done, seconds_total);
        feed.flush().await?;
    }
    feed.finish().await?;
    let diarized = diarized.await.map_err(ServiceError::internal)??;
    let seconds = billed_seconds(diarized.duration_seconds);
    let mut output = json!({"speakers": diarized.speakers, "turns": diarized.turns});
    // Named here, so that the step's output and the result's utterances say the same.
    speakers::name_by_first_word(&service.given_transcript(&claimed.job.id).await?, &mut output);
    Ok(Product {
        output,
        response: json!({"model": model, "turns": diarized.turns.len()}),
        resolved_model: Some(model),
        units: Units { audio_seconds: seconds, ..Units::default() },
    })
}

/// A receiver that went away is no error: the context tells the engine to stop.
struct Channel(UnboundedSender<(f64, Option<f64>)>);

impl ProgressSink for Channel {
    fn progress(&mut self, seconds_done: f64, seconds_total: Option<f64>) {
        let _ = self.0.send((seconds_done, seconds_total));
    }
}

fn options(spec: &Value) -> DiarizationOptions {
    let count = |name: &str| spec[name].as_u64().map(|count| count as u32);
    DiarizationOptions { min_speakers: count("min_speakers"), max_speakers: count("max_speakers") }
}
