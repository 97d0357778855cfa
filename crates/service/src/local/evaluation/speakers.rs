//! The speakers of the recordings, found once for all speech models.

use auris_domain::model::Capability;
use auris_domain::step::spec::DiarizationSpec;
use auris_domain::transcript::SpeakerTurn;
use auris_evaluation::{DiarizationReport, DiarizedRecording, Turn, diarization_errors, speaker_count};

use super::super::measure::{Started, Timed};
use super::super::{LocalEngines, LocalError};
use super::folder::EvaluatedRecording;
use super::{EvaluationEvent, Result};
use crate::engine_tasks::{self, AudioPosition, DiarizationCall};

/// Who speaks when in each recording whose reference has speakers.
#[derive(Debug, Default)]
pub(super) struct Diarized {
    /// Names of recordings and their turns.
    turns: Vec<(String, Vec<SpeakerTurn>)>,
    pub(super) report: Option<DiarizationReport>,
}

impl Diarized {
    pub(super) fn turns(&self, name: &str) -> Option<&[SpeakerTurn]> {
        self.turns.iter().find(|(known, _)| known == name).map(|(_, turns)| turns.as_slice())
    }
}

impl LocalEngines {
    /// Finds the speakers of the recordings whose references have them. The model is not told how many there are.
    pub(super) async fn diarize_all(
        &self,
        recordings: &[EvaluatedRecording],
        events: &mut impl FnMut(EvaluationEvent),
    ) -> Result<Diarized> {
        let mut diarized = Diarized::default();
        let mut results = Vec::new();
        let model = self.stage_model(Capability::Diarization, None)?;
        for recording in recordings {
            let Some(reference) = &recording.reference.turns else { continue };
            let file = recording.name.as_str();
            let mut result = unscored(file, reference);
            match self.time_turns(&model, recording, events).await {
                Err(error) if self.is_cancelled() => return Err(error.into()),
                Err(error) => {
                    let reason = error.to_string();
                    events(EvaluationEvent::Failed { model: &model, file, reason: &reason });
                    result.error = Some(reason);
                }
                Ok((turns, timed)) => {
                    score(&mut result, reference, &turns);
                    result.audio_seconds = timed.units;
                    result.seconds = timed.elapsed.as_secs_f64();
                    result.cpu_seconds = timed.cpu.as_secs_f64();
                    diarized.turns.push((file.to_owned(), turns));
                }
            }
            results.push(result);
        }
        diarized.report = (!results.is_empty()).then(|| DiarizationReport::new(&model, results));
        Ok(diarized)
    }

    /// The turns of a recording, and how long it took to find them.
    async fn time_turns(
        &self,
        model: &str,
        recording: &EvaluatedRecording,
        events: &mut impl FnMut(EvaluationEvent),
    ) -> std::result::Result<(Vec<SpeakerTurn>, Timed), LocalError> {
        let started = Started::now();
        let mut seconds = 0.0;
        let progress = |position: AudioPosition| {
            seconds = position.seconds_total.unwrap_or(position.seconds_done);
            events(EvaluationEvent::Position { model, file: &recording.name, position });
        };
        let turns = self.find_turns(model, recording, progress).await?;
        Ok((turns, started.end(seconds)))
    }

    async fn find_turns(
        &self,
        model: &str,
        recording: &EvaluatedRecording,
        mut progress: impl FnMut(AudioPosition),
    ) -> std::result::Result<Vec<SpeakerTurn>, LocalError> {
        let call = DiarizationCall {
            path: recording.path.clone(),
            model: model.to_owned(),
            spec: DiarizationSpec::default(),
            context: self.context(&recording.path),
        };
        let mut task = engine_tasks::diarize(&self.engines, call);
        while let Some(position) = task.events.recv().await {
            progress(position);
        }
        Ok(task.finish().await?.diarization.turns)
    }
}

fn unscored(name: &str, reference: &[Turn]) -> DiarizedRecording {
    DiarizedRecording {
        file: name.to_owned(),
        speakers: speaker_count(reference),
        found: None,
        errors: None,
        error_percent: None,
        audio_seconds: 0.0,
        seconds: 0.0,
        cpu_seconds: 0.0,
        error: None,
    }
}

fn score(result: &mut DiarizedRecording, reference: &[Turn], turns: &[SpeakerTurn]) {
    let found: Vec<Turn> = turns.iter().map(|turn| Turn::new(&turn.speaker, turn.start, turn.end)).collect();
    let errors = diarization_errors(reference, &found);
    result.found = Some(speaker_count(&found));
    result.error_percent = (errors.total > 0.0).then(|| 100.0 * errors.rate());
    result.errors = Some(errors);
}
