//! A language model of the catalogue as a chat model.

use std::path::PathBuf;
use std::sync::Arc;

use auris_engine_core::{Admission, CallContext, EngineError, ModelKey, Runtime, TextSink};
use auris_models::CatalogModel;

use super::model::LocalModel;
use super::prepared_request::PreparedRequest;
use super::session::Session;
use super::tokenizer::LocalTokenizer;
use crate::chat::{ChatAnswer, ChatModel, ChatRequest};

/// Memory that a model needs per byte of its file, until it is loaded and the memory of its weights is known. Weights of the
/// types `q4_K`, `q6_K` and `q8_0` need about as much as in the file; those of other types are stored in 8 bits.
const MEMORY_PER_FILE_BYTE: u64 = 2;

/// Memory of a tokenizer with a large vocabulary.
const TOKENIZER_BYTES: u64 = 64 << 20;

/// A language model of the catalogue that runs in this process.
pub struct LocalChat {
    pub entry: CatalogModel,
    pub runtime: Runtime,
}

impl LocalChat {
    /// Returns the model, loading it if necessary.
    fn model(&self) -> Result<Arc<LocalModel>, EngineError> {
        let id = &self.entry.model.id;
        let key = ModelKey { id, bytes: self.entry.file_bytes() * MEMORY_PER_FILE_BYTE };
        let tokenizer = self.tokenizer()?;
        let threads = self.runtime.scheduler.threads();
        self.runtime.loaded.get(key, || {
            let model = LocalModel::load(&self.gguf_file()?, tokenizer, threads)?;
            self.runtime.loaded.set_bytes(id, model.net.weight_bytes());
            Ok(model)
        })
    }

    /// Returns the tokenizer without loading the weights, so that tokens can be counted before a step runs. If the model is
    /// loaded, its own is used: making room for another one could unload a large model.
    fn tokenizer(&self) -> Result<Arc<LocalTokenizer>, EngineError> {
        if let Some(model) = self.runtime.loaded.find::<LocalModel>(&self.entry.model.id) {
            return Ok(Arc::clone(&model.tokenizer));
        }
        let id = format!("{} tokenizer", self.entry.model.id);
        let key = ModelKey { id: &id, bytes: TOKENIZER_BYTES };
        self.runtime.loaded.get(key, || LocalTokenizer::open(&self.gguf_file()?))
    }

    fn gguf_file(&self) -> Result<PathBuf, EngineError> {
        let id = &self.entry.model.id;
        let file = self.entry.files.iter().find(|file| file.name.ends_with(".gguf"));
        let missing = || EngineError::internal(format!("the model `{id}` has no `.gguf` file"));
        file.map(|file| self.runtime.models_dir.join(id).join(&file.name)).ok_or_else(missing)
    }
}

impl ChatModel for LocalChat {
    fn id(&self) -> &str {
        &self.entry.model.id
    }

    fn context_tokens(&self) -> Result<usize, EngineError> {
        Ok(self.tokenizer()?.context)
    }

    fn count_tokens(&self, text: &str) -> Result<usize, EngineError> {
        Ok(self.tokenizer()?.vocabulary.encode(text)?.len())
    }

    fn prompt_tokens(&self, request: &ChatRequest<'_>) -> Result<Option<u64>, EngineError> {
        Ok(Some(self.tokenizer()?.prompt(request)?.tokens.len() as u64))
    }

    fn answer(
        &self,
        request: &ChatRequest<'_>,
        sink: &mut dyn TextSink,
        context: &CallContext,
    ) -> Result<ChatAnswer, EngineError> {
        let admission = self.runtime.scheduler.admit(context)?;
        let model = self.model()?;
        let (prepared, rules) = PreparedRequest::new(&model, request)?;
        let mut session = prepared.read(&model, rules, &admission, context)?;
        while session.finish.is_none() {
            session = write_some(session, &admission, context)?;
            let delta = session.output.take_new();
            if !delta.is_empty() {
                sink.delta(&delta);
            }
        }
        Ok(prepared.answer(session, &self.entry))
    }
}

fn write_some(
    mut session: Session,
    admission: &Admission,
    context: &CallContext,
) -> Result<Session, EngineError> {
    let context = context.clone();
    let written = admission.submit_exclusive(move |_| {
        session.write(&|| context.check())?;
        Ok(session)
    });
    written.wait()
}
