//! Transcription by an OpenAI-compatible server: a multipart upload, answered with verbose JSON or a stream.

use std::sync::Arc;

use auris_audio::{AudioSource, AudioStream};
use auris_domain::step::spec::TranscriptionSpec;
use auris_domain::transcript::{Transcript, duration_text};
use auris_engine_core::speech::Transcription;
use auris_engine_core::{CallContext, EngineError, SpeechSink, Transcriber};
use auris_models::RemoteModel;
use reqwest::multipart::Form;

use super::client::{self, ClientSlot, Failure, RemoteClient};
use super::event_reader::EventReader;
use super::transcription_response::Answer;
use super::transcription_stream;

/// A speech model of the catalogue that runs on another server.
pub(crate) struct RemoteSpeech {
    pub(crate) id: String,
    pub(crate) remote: RemoteModel,
    pub(crate) client: Arc<ClientSlot>,
}

impl Transcriber for RemoteSpeech {
    fn transcribe(
        &self,
        audio: &AudioSource,
        spec: &TranscriptionSpec,
        sink: &mut dyn SpeechSink,
        context: &CallContext,
    ) -> Result<Transcription, EngineError> {
        // Decoded here too: bad files are refused before they are sent, and the duration is exact.
        let duration_seconds = duration(audio, context)?;
        let client = self.client.get()?;
        let answer = client.run(context, self.ask(client, audio, spec, sink))?;
        let segments = answer.segments(duration_seconds);
        if !self.remote.streams && !answer.text.trim().is_empty() {
            sink.delta(answer.text.trim());
        }
        segments.iter().for_each(|segment| sink.segment(segment));
        sink.progress(duration_seconds, Some(duration_seconds));
        let language = spec.language.clone().or_else(|| answer.language());
        let transcript = Transcript {
            text: answer.text.trim().to_owned(),
            language: language.filter(|_| !segments.is_empty()),
            duration_seconds: duration_text(duration_seconds),
            segments,
            utterances: vec![],
        };
        Ok(Transcription { transcript, duration_seconds, resolved_model: self.id.clone() })
    }
}

impl RemoteSpeech {
    async fn ask(
        &self,
        client: &RemoteClient,
        audio: &AudioSource,
        spec: &TranscriptionSpec,
        sink: &mut dyn SpeechSink,
    ) -> Result<Answer, Failure> {
        let form = self.form(audio, spec).await.map_err(EngineError::internal)?;
        let request = client.post(&self.remote, "audio/transcriptions").multipart(form);
        let response = client::send(request).await?;
        if !self.remote.streams {
            return Ok(response.json().await?);
        }
        let events = EventReader::new(response.bytes_stream());
        let text = transcription_stream::read(events, |delta| sink.delta(delta)).await?;
        Ok(Answer { text, ..Answer::default() })
    }

    async fn form(&self, audio: &AudioSource, spec: &TranscriptionSpec) -> std::io::Result<Form> {
        let mut form = Form::new().file("file", &audio.path).await?.text("model", self.remote.model.clone());
        form = match self.remote.streams {
            true => form.text("response_format", "json").text("stream", "true"),
            false => form
                .text("response_format", "verbose_json")
                .text("timestamp_granularities[]", "word")
                .text("timestamp_granularities[]", "segment"),
        };
        if let Some(language) = &spec.language {
            form = form.text("language", language.clone());
        }
        if let Some(prompt) = &spec.prompt {
            form = form.text("prompt", prompt.clone());
        }
        Ok(form)
    }
}

fn duration(audio: &AudioSource, context: &CallContext) -> Result<f64, EngineError> {
    let mut stream = AudioStream::open(audio)?;
    while stream.next_block()?.is_some() {
        context.check()?;
    }
    Ok(stream.seconds())
}
