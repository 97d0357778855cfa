//! Runs the models on the recordings and scores what they write.

use std::path::{Component, Path, PathBuf};

use auris_domain::step::spec::TranscriptionSpec;
use auris_domain::transcript::{SpeakerTurn, Transcript, Word, speakers};
use auris_engines::speed::Machine;
use auris_evaluation::{
    Evaluation, MachineReport, RecordingOutcome, RecordingReport, ScoredRecording, Scorer, SpokenWord,
    Transcriptions, evaluation, speaker_count,
};

use super::super::measure::Started;
use super::super::{LocalEngines, LocalError};
use super::folder::{EvaluatedRecording, RecordingFolder};
use super::reference_files;
use super::speakers::Diarized;
use super::{EvaluationEvent, EvaluationRequest, GivenTranscripts, Result};

/// A recording, ready to be compared with transcripts.
pub(super) struct Scored<'a> {
    /// Its position in the report.
    pub(super) at: usize,
    pub(super) recording: &'a EvaluatedRecording,
    pub(super) scorer: Scorer,
    /// The turns that the diarization model found.
    pub(super) turns: Option<&'a [SpeakerTurn]>,
}

impl LocalEngines {
    /// Evaluates models on the recordings of a folder, one after the other. A recording that fails does not stop the others.
    pub async fn evaluate(
        &self,
        request: &EvaluationRequest,
        mut events: impl FnMut(EvaluationEvent),
    ) -> Result<Evaluation> {
        let models = self.evaluated_models(&request.models)?;
        let folder = RecordingFolder::read(&request.folder, request.language.as_deref())?;
        let diarized = match request.speakers {
            true => self.diarize_all(&folder.recordings, &mut events).await?,
            false => Diarized::default(),
        };
        let recordings = scored(&folder, &diarized);
        let mut transcriptions = Vec::new();
        for model in &models {
            transcriptions.push(self.transcribe_all(model, &recordings, &mut events).await?);
        }
        transcriptions.extend(request.transcripts.iter().map(|given| given_texts(given, &recordings)));
        let machine = Machine::this();
        let machine =
            MachineReport { cpu: machine.cpu, kernels: machine.kernels, threads: self.engines.threads() };
        let reports = reports(&folder, &recordings);
        let name = request.folder.display().to_string();
        let mut report = evaluation(&name, machine, reports, transcriptions);
        report.diarization = diarized.report;
        report.left_out = folder.left_out;
        Ok(report)
    }

    async fn transcribe_all(
        &self,
        model: &str,
        recordings: &[Scored<'_>],
        events: &mut impl FnMut(EvaluationEvent),
    ) -> Result<Transcriptions> {
        self.warm_up(model, recordings).await?;
        let mut outcomes = Vec::new();
        for scored in recordings {
            let file = scored.recording.name.as_str();
            let outcome = match self.transcribe_one(model, scored, events).await {
                Err(error) if self.is_cancelled() => return Err(error.into()),
                Err(error) => RecordingOutcome::Failed(error.to_string()),
                Ok(outcome) => outcome,
            };
            if let RecordingOutcome::Failed(reason) = &outcome {
                events(EvaluationEvent::Failed { model, file, reason });
            }
            outcomes.push(ScoredRecording { recording: scored.at, outcome });
        }
        self.unload_evaluated(model);
        Ok(Transcriptions { model: model.to_owned(), given: false, recordings: outcomes })
    }

    async fn transcribe_one(
        &self,
        model: &str,
        scored: &Scored<'_>,
        events: &mut impl FnMut(EvaluationEvent),
    ) -> std::result::Result<RecordingOutcome, LocalError> {
        let recording = scored.recording;
        if !self.may_transcribe(model, recording.language.as_deref()) {
            return Ok(RecordingOutcome::OtherLanguage);
        }
        let spec = TranscriptionSpec { language: recording.given_language.clone(), prompt: None };
        let started = Started::now();
        let position = |position| {
            events(EvaluationEvent::Position { model, file: &recording.name, position });
        };
        let transcript = self.transcribe(&recording.path, model, spec, position).await?;
        let timed = started.end(transcript.duration_seconds.parse().unwrap_or_default());
        Ok(match scored.scorer.score(&spoken_words(&transcript, scored.turns)) {
            Ok(score) => RecordingOutcome::Scored {
                score: Box::new(score),
                text: transcript.text,
                audio_seconds: timed.units,
                seconds: timed.elapsed.as_secs_f64(),
                cpu_seconds: timed.cpu.as_secs_f64(),
            },
            Err(too_long) => RecordingOutcome::Failed(too_long.to_string()),
        })
    }
}

/// The recordings with a text.
fn scored<'a>(folder: &'a RecordingFolder, diarized: &'a Diarized) -> Vec<Scored<'a>> {
    let recordings = folder.recordings.iter().enumerate();
    let with_text = recordings.filter_map(|(at, recording)| {
        let words = recording.reference.words.as_ref()?;
        let scorer = Scorer::new(words, recording.counted_language());
        Some(Scored { at, recording, scorer, turns: diarized.turns(&recording.name) })
    });
    with_text.collect()
}

fn reports(folder: &RecordingFolder, scored: &[Scored]) -> Vec<RecordingReport> {
    let report = |(at, recording): (usize, &EvaluatedRecording)| RecordingReport {
        file: recording.name.clone(),
        language: recording.language.clone(),
        words: scored.iter().find(|scored| scored.at == at).map(|scored| scored.scorer.length()),
        characters: recording.counts_characters(),
        times: recording.reference.times,
        speakers: recording.reference.turns.as_deref().map(speaker_count),
    };
    folder.recordings.iter().enumerate().map(report).collect()
}

/// The words of a transcript, with speakers if the turns are known.
fn spoken_words(transcript: &Transcript, turns: Option<&[SpeakerTurn]>) -> Vec<SpokenWord> {
    let words = transcript.words();
    // A remote model may return no words.
    if words.is_empty() {
        return SpokenWord::list(&transcript.text);
    }
    let spoken = |word: &Word, speaker: Option<&String>| SpokenWord {
        text: word.word.trim().to_owned(),
        start: Some(word.start),
        end: Some(word.end),
        speaker: speaker.cloned(),
    };
    match turns.and_then(|turns| speakers::utterances(&transcript.text, words.clone(), turns)) {
        Some(utterances) => {
            let words =
                utterances.iter().flat_map(|one| one.words.iter().map(|word| (word, one.speaker.as_ref())));
            words.map(|(word, speaker)| spoken(word, speaker)).collect()
        }
        None => words.iter().map(|word| spoken(word, None)).collect(),
    }
}

/// The path in a folder for a name that may be absolute or lead upwards, so that the reference is never taken for a text
/// of another program.
fn inside(folder: &Path, name: &str) -> PathBuf {
    let parts = Path::new(name).components().filter(|part| matches!(part, Component::Normal(_)));
    folder.join(parts.collect::<PathBuf>())
}

/// Scores the texts of another program.
fn given_texts(given: &GivenTranscripts, recordings: &[Scored]) -> Transcriptions {
    let outcome = |scored: &Scored| {
        let beside = reference_files::beside(&inside(&given.folder, &scored.recording.name));
        let words = match beside.map(|found| found.and_then(|found| found.words)) {
            Ok(Some(words)) => words,
            Ok(None) => {
                let folder = given.folder.display();
                return RecordingOutcome::Failed(format!("there is no text for it in `{folder}`"));
            }
            Err(problem) => return RecordingOutcome::Failed(problem),
        };
        let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        match scored.scorer.score(&words) {
            Ok(score) => RecordingOutcome::Scored {
                score: Box::new(score),
                text,
                audio_seconds: 0.0,
                seconds: 0.0,
                cpu_seconds: 0.0,
            },
            Err(too_long) => RecordingOutcome::Failed(too_long.to_string()),
        }
    };
    let scored = |scored: &Scored| ScoredRecording { recording: scored.at, outcome: outcome(scored) };
    Transcriptions {
        model: given.name.clone(),
        given: true,
        recordings: recordings.iter().map(scored).collect(),
    }
}
