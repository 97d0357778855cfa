//! The registry: creates the engine of a model id.

mod candidates;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use auris_audio::{self as audio, AudioInfo, AudioSource};
use auris_diarization::LocalDiarizer;
use auris_domain::model::{Capability, Models};
use auris_engine_core::{
    Diarizer, EngineError, LoadedModel, LoadedModels, Runtime, Scheduler, TextModel, Transcriber,
    UnloadPolicy,
};
use auris_language::LanguageModel;
use auris_language::local::LocalChat;
use auris_models::{Catalog, CatalogModel, EngineKind, LiveCatalog, install};
use auris_speech::{AutoSpeech, LocalSpeech};
use auris_text::{BuiltInText, EmbedderSlot, EntityNetSlot};
use parking_lot::Mutex;

use crate::fake::{FakeDiarizer, FakeSpeech, FakeText};
use crate::remote::breaker::Breakers;
use crate::remote::client::ClientSlot;
use crate::remote::speech::RemoteSpeech;
use crate::remote::text::RemoteChat;
use crate::speed::Measurement;

/// Settings without defaults.
#[derive(Debug, Clone)]
pub struct EngineSettings {
    /// Where model files are stored; several data folders can share it.
    pub models_dir: PathBuf,
    /// Maximum duration of a recording.
    pub max_audio_seconds: f64,
}

/// Settings with defaults.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tuning {
    /// Threads for all models together; 0 for one per physical core.
    pub threads: usize,
    /// Maximum synchronous calls that wait or run; further calls are refused.
    pub synchronous_calls: usize,
    /// Seconds after which an unused model is unloaded; `None` never unloads.
    pub idle_unload_seconds: Option<u64>,
    /// Memory limit for all loaded models.
    pub loaded_bytes: u64,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { threads: 0, synchronous_calls: 32, idle_unload_seconds: Some(900), loaded_bytes: 4 << 30 }
    }
}

/// All engines of this process.
pub struct Engines {
    catalog: LiveCatalog,
    settings: EngineSettings,
    runtime: Runtime,
    breakers: Breakers,
    client: Arc<ClientSlot>,
    embedder: Arc<EmbedderSlot>,
    /// The net for entities, if the catalogue has one.
    entity_net: Option<Arc<EntityNetSlot>>,
    /// What this process measured. It counts even if the folder of the models is read-only.
    measured: Mutex<Vec<Measurement>>,
}

impl Engines {
    /// `catalog` is without the local models of `settings.models_dir`, which are added to it.
    pub fn new(catalog: Catalog, settings: EngineSettings) -> Self {
        Self::tuned(catalog, settings, &Tuning::default())
    }

    pub fn tuned(catalog: Catalog, settings: EngineSettings, tuning: &Tuning) -> Self {
        let threads = if tuning.threads == 0 { num_cpus::get_physical() } else { tuning.threads };
        let idle = tuning.idle_unload_seconds.map(Duration::from_secs);
        let policy = UnloadPolicy { idle, bytes: tuning.loaded_bytes };
        let runtime = Runtime {
            models_dir: settings.models_dir.clone(),
            loaded: LoadedModels::new(policy),
            scheduler: Arc::new(Scheduler::new(threads.max(1), tuning.synchronous_calls)),
        };
        let embedder = Arc::new(EmbedderSlot::new(settings.models_dir.join(embeddings(&catalog))));
        let entity_net = net_with(&catalog, |entry| entry.model.can(Capability::Entities));
        let entity_net = entity_net.map(|id| {
            let folder = settings.models_dir.join(&id);
            Arc::new(EntityNetSlot::new(id, folder))
        });
        let catalog = LiveCatalog::new(catalog, &settings.models_dir);
        Self {
            catalog,
            settings,
            runtime,
            breakers: Breakers::default(),
            client: Arc::default(),
            embedder,
            entity_net,
            measured: Mutex::default(),
        }
    }

    /// The ids of the models in memory.
    pub fn loaded(&self) -> Vec<String> {
        self.runtime.loaded.ids()
    }

    /// Unloads the models that are idle at `now`. A background thread calls this regularly.
    pub fn unload_idle(&self, now: Instant) {
        self.runtime.loaded.unload_idle(now);
    }

    /// The threads that all models share.
    pub fn threads(&self) -> usize {
        self.runtime.scheduler.threads()
    }

    /// The models that are in memory or being loaded, sorted by id.
    pub fn loaded_models(&self) -> Vec<LoadedModel> {
        self.runtime.loaded.list()
    }

    /// How long a model took to load; `None` if it is not in memory.
    pub fn load_time(&self, id: &str) -> Option<Duration> {
        self.runtime.loaded.load_time(id)
    }

    /// Unloads a model. Calls that use it keep it until they end.
    pub fn unload(&self, id: &str) {
        // A language model's tokenizer is loaded as `ID tokenizer`; with other files, it would be the wrong one.
        let part = format!("{id} ");
        let loaded = self.runtime.loaded.ids();
        for loaded in loaded.iter().filter(|loaded| *loaded == id || loaded.starts_with(&part)) {
            self.runtime.loaded.unload(loaded);
        }
    }

    /// The catalogue with the local models that exist now. A model whose files were replaced or removed is unloaded.
    pub fn catalog(&self) -> Arc<Catalog> {
        let snapshot = self.catalog.snapshot();
        for id in &snapshot.replaced {
            self.unload(id);
        }
        snapshot.catalog
    }

    /// The models that can be used now, with the defaults and plans.
    pub fn models(&self) -> Models {
        let catalog = self.catalog();
        catalog.models(|entry| self.usable(&catalog, entry))
    }

    /// Whether a pull of the model would install nothing more. A model can be usable without being complete.
    pub fn is_complete(&self, id: &str) -> bool {
        let catalog = self.catalog();
        let is_complete =
            |entry: &CatalogModel| install::is_complete(&self.settings.models_dir, &catalog, entry);
        self.find(&catalog, id).is_some_and(|entry| entry.upgrades.is_empty() || is_complete(entry))
    }

    /// Whether everything that a pull of the model installs is there.
    pub fn is_fully_installed(&self, id: &str) -> bool {
        let catalog = self.catalog();
        let has_all = |entry: &CatalogModel| install::is_complete(&self.settings.models_dir, &catalog, entry);
        catalog.find(id).is_some_and(has_all)
    }

    /// The speech model with this id, for measurements of its parts; `None` if it does not run in this process.
    pub fn local_speech(&self, id: &str) -> Option<LocalSpeech> {
        let catalog = self.catalog();
        let entry = self.find(&catalog, id)?;
        let is_local = matches!(entry.engine, EngineKind::Moonshine | EngineKind::Whisper);
        is_local.then(|| LocalSpeech { entry: entry.clone(), runtime: self.runtime.clone() })
    }

    /// The speech model with this id; `None` if it cannot be used now.
    pub fn transcriber(&self, id: &str) -> Option<Arc<dyn Transcriber>> {
        let catalog = self.catalog();
        let entry = self.find(&catalog, id).filter(|entry| entry.model.can(Capability::Transcription))?;
        let runtime = self.runtime.clone();
        match entry.engine {
            EngineKind::Fake => Some(Arc::new(FakeSpeech::new(id))),
            EngineKind::Moonshine | EngineKind::Whisper => {
                Some(Arc::new(LocalSpeech { entry: entry.clone(), runtime }))
            }
            EngineKind::Auto => {
                let candidates = self.measured_candidates(&catalog, entry);
                Some(Arc::new(AutoSpeech { model: id.to_owned(), candidates, runtime }))
            }
            EngineKind::Remote => {
                let remote = entry.remote.clone()?;
                Some(Arc::new(RemoteSpeech { id: id.to_owned(), remote, client: self.client.clone() }))
            }
            EngineKind::Diarizer | EngineKind::BuiltInText | EngineKind::Gguf => None,
        }
    }

    /// The diarization model with this id; `None` if it cannot be used now.
    pub fn diarizer(&self, id: &str) -> Option<Arc<dyn Diarizer>> {
        let catalog = self.catalog();
        let entry = self.find(&catalog, id).filter(|entry| entry.model.can(Capability::Diarization))?;
        match entry.engine {
            EngineKind::Fake => Some(Arc::new(FakeDiarizer)),
            EngineKind::Diarizer => {
                Some(Arc::new(LocalDiarizer { scheduler: self.runtime.scheduler.clone() }))
            }
            EngineKind::Auto
            | EngineKind::Moonshine
            | EngineKind::Whisper
            | EngineKind::BuiltInText
            | EngineKind::Gguf
            | EngineKind::Remote => None,
        }
    }

    /// The text model with this id; `None` if it cannot be used now.
    pub fn text(&self, id: &str) -> Option<Arc<dyn TextModel>> {
        let catalog = self.catalog();
        let entry = self.find(&catalog, id)?;
        match entry.engine {
            EngineKind::Fake => Some(Arc::new(FakeText::new(id))),
            EngineKind::BuiltInText => Some(self.built_in_text(&catalog, entry)),
            EngineKind::Gguf => {
                let chat = Arc::new(LocalChat { entry: entry.clone(), runtime: self.runtime.clone() });
                Some(Arc::new(LanguageModel { chat }))
            }
            EngineKind::Remote => {
                let chat = RemoteChat::new(id, entry.remote.clone()?, &self.breakers, self.client.clone());
                Some(Arc::new(LanguageModel { chat: Arc::new(chat) }))
            }
            EngineKind::Auto | EngineKind::Moonshine | EngineKind::Whisper | EngineKind::Diarizer => None,
        }
    }

    /// Whether the model, or one of the models that it chooses from, supports this language. Checked before a job is
    /// accepted. An unknown model is left to the checks that report it.
    pub fn knows_language(&self, id: &str, language: &str) -> bool {
        let catalog = self.catalog();
        match catalog.find(id) {
            Some(entry) if entry.engine == EngineKind::Auto => {
                self.candidates(&catalog, entry).any(|candidate| candidate.knows_language(language))
            }
            Some(entry) => entry.knows_language(language),
            None => true,
        }
    }

    /// Whether the tokens of the model can be counted before it runs: its tokenizer is part of its files.
    pub fn counts_tokens(&self, id: &str) -> bool {
        self.catalog().find(id).is_some_and(|entry| entry.engine == EngineKind::Gguf)
    }

    /// A recording with this server's limit on its duration.
    pub fn source(&self, path: &Path) -> AudioSource {
        AudioSource::new(path, self.settings.max_audio_seconds)
    }

    /// The format and duration of a recording. Fails if a transcription would reject it.
    pub fn probe(&self, path: &Path) -> Result<AudioInfo, EngineError> {
        audio::probe(&self.source(path))
    }

    fn built_in_text(&self, catalog: &Catalog, entry: &CatalogModel) -> Arc<dyn TextModel> {
        let has_net = |net: &&Arc<EntityNetSlot>| self.find(catalog, net.model()).is_some();
        Arc::new(BuiltInText {
            model: entry.model.id.clone(),
            languages: entry.languages.clone(),
            embedder: self.embedder.clone(),
            entity_net: self.entity_net.as_ref().filter(has_net).cloned(),
            scheduler: self.runtime.scheduler.clone(),
        })
    }

    /// The model with this id if it can be used now.
    fn find<'a>(&self, catalog: &'a Catalog, id: &str) -> Option<&'a CatalogModel> {
        catalog.find(id).filter(|entry| self.usable(catalog, entry))
    }

    fn usable(&self, catalog: &Catalog, entry: &CatalogModel) -> bool {
        match entry.engine {
            EngineKind::Fake | EngineKind::Diarizer => true,
            EngineKind::Moonshine | EngineKind::Whisper | EngineKind::Gguf => {
                install::is_installed(&self.settings.models_dir, entry)
            }
            EngineKind::BuiltInText => install::is_ready(&self.settings.models_dir, catalog, entry),
            EngineKind::Auto => self.candidates(catalog, entry).next().is_some(),
            EngineKind::Remote => true,
        }
    }
}

/// The id of the model with the files of the embedding model of the text stages.
fn embeddings(catalog: &Catalog) -> String {
    net_with(catalog, |entry| entry.model.capabilities.is_empty()).unwrap_or_default()
}

/// The id of the first built-in text model that has files and passes the check.
fn net_with(catalog: &Catalog, is_wanted: impl Fn(&CatalogModel) -> bool) -> Option<String> {
    let is_net = |entry: &&CatalogModel| entry.engine == EngineKind::BuiltInText && !entry.files.is_empty();
    let net = catalog.models.iter().filter(is_net).find(|entry| is_wanted(entry));
    net.map(|entry| entry.model.id.clone())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use auris_engine_core::ModelKey;

    use super::*;

    #[test]
    fn a_local_model_can_be_used_as_soon_as_it_is_listed_and_no_longer() {
        let folder = tempfile::tempdir().unwrap();
        let settings = EngineSettings { models_dir: folder.path().to_owned(), max_audio_seconds: 1.0 };
        let engines = Engines::new(Catalog::parse("").unwrap(), settings);
        fs::create_dir(folder.path().join("calls")).unwrap();
        fs::write(folder.path().join("calls/net.bin"), "x").unwrap();
        assert!(engines.models().find("calls").is_none() && engines.transcriber("calls").is_none());
        let text = format!(
            "[[models]]\nid = \"calls\"\ndisplay_name = \"Calls\"\nengine = \"whisper\"\nlanguages = [\"en\"]\n\
             capabilities = [{{ capability = \"transcription\", native_unit = \"audio_second\", \
             price_per_unit_usd = \"0\" }}]\n\
             [[models.files]]\nname = \"net.bin\"\nsha256 = \"{}\"\nbytes = 1\n",
            "0".repeat(64)
        );
        fs::write(folder.path().join("local.toml"), text).unwrap();
        assert!(engines.models().find("calls").is_some() && engines.transcriber("calls").is_some());
        assert!(!engines.knows_language("calls", "de"));
        fs::remove_file(folder.path().join("local.toml")).unwrap();
        assert!(engines.models().find("calls").is_none());
    }

    #[test]
    fn a_model_is_unloaded_with_its_tokenizer() {
        let settings = EngineSettings { models_dir: PathBuf::new(), max_audio_seconds: 1.0 };
        let engines = Engines::new(Catalog::parse("").unwrap(), settings);
        for id in ["notes", "notes tokenizer", "notes-2"] {
            engines.runtime.loaded.get(ModelKey { id, bytes: 1 }, || Ok(())).unwrap();
        }
        engines.unload("notes");
        assert_eq!(engines.loaded(), ["notes-2"]);
    }

    #[test]
    fn a_language_that_the_model_would_refuse_is_refused_before_the_job_is_accepted() {
        let catalog = Catalog::parse(
            "[[models]]\nid = \"english\"\ndisplay_name = \"English\"\nengine = \"whisper\"\n\
             languages = [\"en\"]\ncapabilities = []\n\
             [[models]]\nid = \"small\"\ndisplay_name = \"Small\"\nengine = \"moonshine\"\ncapabilities = []",
        );
        let settings = EngineSettings { models_dir: PathBuf::new(), max_audio_seconds: 1.0 };
        let engines = Engines::new(catalog.unwrap(), settings);
        assert!(engines.knows_language("english", "en-US"));
        assert!(!engines.knows_language("english", "de"));
        assert!(!engines.knows_language("small", "tlh"));
        assert!(engines.knows_language("unknown", "de"));
    }
}
