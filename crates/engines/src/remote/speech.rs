//! Transcription by an OpenAI-compatible server: multipart up, verbose JSON or a stream back.

use std::io::BufReader;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};

use auris_audio::{AudioSource, AudioStream};
use auris_domain::step::spec::TranscriptionSpec;
use auris_domain::transcript::{Transcript, duration_text};
use auris_engine_core::speech::Transcription;
use auris_engine_core::{CallContext, EngineError, SpeechSink, Transcriber};
use auris_models::RemoteModel;
use reqwest::blocking::multipart::Form;

use super::http::{self, Failure, LOOK_EVERY};
use super::transcription_response::Answer;
use super::transcription_stream;

/// A speech model of the catalogue that runs elsewhere.
pub(crate) struct RemoteSpeech {
    pub(crate) id: String,
    pub(crate) remote: RemoteModel,
}

/// What comes back from the thread that talks.
enum Heard {
    Delta(String),
    Done(Result<Answer, EngineError>),
}

impl Transcriber for RemoteSpeech {
    fn transcribe(
        &self,
        audio: &AudioSource,
        spec: &TranscriptionSpec,
        sink: &mut dyn SpeechSink,
        context: &CallContext,
    ) -> Result<Transcription, EngineError> {
        // Decoded here all the same: bad files are told apart before they travel, and the length is exact.
        let duration_seconds = length(audio, context)?;
        let answer = self.ask(audio, spec, sink, context)?;
        let segments = answer.segments(duration_seconds);
        if !self.remote.streams && !answer.text.trim().is_empty() {
            sink.delta(answer.text.trim());
        }
        segments.iter().for_each(|segment| sink.segment(segment));
        sink.progress(duration_seconds, Some(duration_seconds));
        let language = spec.language.clone().or_else(|| answer.language()).filter(|_| !segments.is_empty());
        let transcript = Transcript {
            text: answer.text.trim().to_owned(),
            language,
            duration_seconds: duration_text(duration_seconds),
            segments,
            utterances: vec![],
        };
        Ok(Transcription { transcript, duration_seconds, resolved_model: self.id.clone() })
    }
}

impl RemoteSpeech {
    /// Talks on a thread of its own, so that a caller who goes away need not wait for the other server.
    fn ask(
        &self,
        audio: &AudioSource,
        spec: &TranscriptionSpec,
        sink: &mut dyn SpeechSink,
        context: &CallContext,
    ) -> Result<Answer, EngineError> {
        let (sender, receiver) = channel();
        let call = Call { remote: self.remote.clone(), audio: audio.clone(), spec: spec.clone() };
        let watched = context.clone();
        std::thread::spawn(move || {
            let answer = call.with_retries(&sender, &watched);
            // The caller may be gone.
            let _ = sender.send(Heard::Done(answer));
        });
        loop {
            context.check()?;
            match receiver.recv_timeout(LOOK_EVERY) {
                Ok(Heard::Delta(text)) => sink.delta(&text),
                Ok(Heard::Done(answer)) => return answer,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(EngineError::internal("the call died")),
            }
        }
    }
}

struct Call {
    remote: RemoteModel,
    audio: AudioSource,
    spec: TranscriptionSpec,
}

impl Call {
    fn with_retries(&self, sender: &Sender<Heard>, context: &CallContext) -> Result<Answer, EngineError> {
        http::with_retries(context, || self.once(sender)).map_err(|failure| failure.error)
    }

    fn once(&self, sender: &Sender<Heard>) -> Result<Answer, Failure> {
        let form = self.form().map_err(|error| Failure::last(EngineError::internal(error)))?;
        let request = http::post(&self.remote, "audio/transcriptions").map_err(http::unreachable)?;
        let response = http::refuse_errors(request.multipart(form).send().map_err(http::unreachable)?)?;
        if !self.remote.streams {
            return response.json().map_err(http::unreachable);
        }
        let delta = |text: &str| {
            let _ = sender.send(Heard::Delta(text.to_owned()));
        };
        // Words were told already, so a broken stream is not tried again.
        let text = transcription_stream::read(BufReader::new(response), delta).map_err(Failure::last)?;
        Ok(Answer { text, ..Answer::default() })
    }

    fn form(&self) -> std::io::Result<Form> {
        let mut form = Form::new().file("file", &self.audio.path)?.text("model", self.remote.model.clone());
        form = match self.remote.streams {
            true => form.text("response_format", "json").text("stream", "true"),
            false => form
                .text("response_format", "verbose_json")
                .text("timestamp_granularities[]", "word")
                .text("timestamp_granularities[]", "segment"),
        };
        if let Some(language) = &self.spec.language {
            form = form.text("language", language.clone());
        }
        if let Some(prompt) = &self.spec.prompt {
            form = form.text("prompt", prompt.clone());
        }
        Ok(form)
    }
}

fn length(audio: &AudioSource, context: &CallContext) -> Result<f64, EngineError> {
    let mut stream = AudioStream::open(audio)?;
    while stream.next_block()?.is_some() {
        context.check()?;
    }
    Ok(stream.seconds())
}
