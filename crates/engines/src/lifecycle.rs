//! Loaded models: on demand, shared, unloaded when idle or when others need the memory.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::EngineError;
use crate::catalog::{CatalogModel, EngineKind};
use crate::speech::SpeechNet;
use crate::speech::moonshine::Moonshine;
use crate::speech::whisper::Whisper;
use crate::text::language::local::LocalModel;

/// When loaded models go again.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keeping {
    /// Unused for so long; `None` keeps them.
    pub(crate) idle: Option<Duration>,
    /// Files of this size in all; the least lately used goes first.
    pub(crate) bytes: u64,
}

/// A model in memory, by what it can do.
#[derive(Clone)]
enum Net {
    Speech(Arc<dyn SpeechNet>),
    Language(Arc<LocalModel>),
}

impl Net {
    fn holders(&self) -> usize {
        match self {
            Self::Speech(net) => Arc::strong_count(net),
            Self::Language(net) => Arc::strong_count(net),
        }
    }
}

/// One model, loaded or being loaded: the first caller loads it, the others wait.
type Slot = Arc<Mutex<Option<Net>>>;

/// A language model takes more memory than its file: its weights are kept a second time as the fast products want them.
const LANGUAGE_BYTES: u64 = 3;

struct Loaded {
    slot: Slot,
    used: Instant,
    bytes: u64,
}

/// The models of this process.
pub(crate) struct Nets {
    models_dir: PathBuf,
    keeping: Keeping,
    loaded: Mutex<HashMap<String, Loaded>>,
}

impl Nets {
    pub(crate) fn new(models_dir: PathBuf, keeping: Keeping) -> Arc<Self> {
        let nets = Arc::new(Self { models_dir, keeping, loaded: Mutex::new(HashMap::new()) });
        if let Some(idle) = keeping.idle {
            sweep_regularly(Arc::downgrade(&nets), idle);
        }
        nets
    }

    /// The nets of a speech model, loaded if they are not yet.
    pub(crate) fn get(&self, entry: &CatalogModel) -> Result<Arc<dyn SpeechNet>, EngineError> {
        match self.net(entry)? {
            Net::Speech(net) => Ok(net),
            Net::Language(_) => Err(wrong_kind(entry)),
        }
    }

    /// A language model, loaded if it is not yet.
    pub(crate) fn language(&self, entry: &CatalogModel) -> Result<Arc<LocalModel>, EngineError> {
        match self.net(entry)? {
            Net::Language(net) => Ok(net),
            Net::Speech(_) => Err(wrong_kind(entry)),
        }
    }

    fn net(&self, entry: &CatalogModel) -> Result<Net, EngineError> {
        let slot = self.slot(entry);
        let mut net = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(net) = net.as_ref() {
            return Ok(net.clone());
        }
        let loaded = self.load(entry)?;
        *net = Some(loaded.clone());
        Ok(loaded)
    }

    fn slot(&self, entry: &CatalogModel) -> Slot {
        let bytes = bytes_of(entry);
        let mut loaded = self.loaded();
        if !loaded.contains_key(&entry.model.id) {
            make_room(&mut loaded, self.keeping.bytes.saturating_sub(bytes));
        }
        let model = loaded.entry(entry.model.id.clone());
        let model = model.or_insert_with(|| Loaded { slot: Slot::default(), used: Instant::now(), bytes });
        model.used = Instant::now();
        model.slot.clone()
    }

    fn load(&self, entry: &CatalogModel) -> Result<Net, EngineError> {
        let folder = self.models_dir.join(&entry.model.id);
        let started = Instant::now();
        let net = match entry.engine {
            EngineKind::Moonshine => Net::Speech(Arc::new(Moonshine::load(&folder)?)),
            EngineKind::Whisper => Net::Speech(Arc::new(Whisper::load(&folder, &entry.model.id)?)),
            EngineKind::Gguf => Net::Language(Arc::new(LocalModel::load(&gguf_file(&folder, entry)?)?)),
            EngineKind::Fake
            | EngineKind::Auto
            | EngineKind::Diarizer
            | EngineKind::Analyst
            | EngineKind::Remote => {
                return Err(EngineError::internal(format!("the model `{}` has no nets", entry.model.id)));
            }
        };
        tracing::info!(
            model = entry.model.id,
            milliseconds = started.elapsed().as_millis() as u64,
            "model loaded"
        );
        Ok(net)
    }

    /// What is loaded or being loaded.
    pub(crate) fn ids(&self) -> Vec<String> {
        let mut ids: Vec<_> = self.loaded().keys().cloned().collect();
        ids.sort();
        ids
    }

    /// Lets go of what was idle for too long by `now`.
    pub(crate) fn sweep(&self, now: Instant) {
        let Some(idle) = self.keeping.idle else { return };
        self.loaded().retain(|model, loaded| {
            if in_use(loaded) {
                loaded.used = now;
            }
            let keep = now.saturating_duration_since(loaded.used) < idle;
            if !keep {
                tracing::info!(model, "idle model unloaded");
            }
            keep
        });
    }

    fn loaded(&self) -> MutexGuard<'_, HashMap<String, Loaded>> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wrong_kind(entry: &CatalogModel) -> EngineError {
    EngineError::internal(format!("the model `{}` is of another kind", entry.model.id))
}

fn bytes_of(entry: &CatalogModel) -> u64 {
    let files: u64 = entry.files.iter().map(|file| file.bytes).sum();
    if entry.engine == EngineKind::Gguf { files * LANGUAGE_BYTES } else { files }
}

fn gguf_file(folder: &Path, entry: &CatalogModel) -> Result<PathBuf, EngineError> {
    let file = entry.files.iter().find(|file| file.name.ends_with(".gguf"));
    let missing = || EngineError::internal(format!("the model `{}` has no `.gguf` file", entry.model.id));
    file.map(|file| folder.join(&file.name)).ok_or_else(missing)
}

fn in_use(loaded: &Loaded) -> bool {
    // Somebody loads it, or holds it besides this table.
    loaded.slot.try_lock().is_ok_and(|net| net.as_ref().is_some_and(|net| net.holders() > 1))
        || Arc::strong_count(&loaded.slot) > 1
}

fn make_room(loaded: &mut HashMap<String, Loaded>, room: u64) {
    while loaded.values().map(|model| model.bytes).sum::<u64>() > room {
        let oldest = loaded.iter().min_by_key(|(_, model)| model.used).map(|(id, _)| id.clone());
        let Some(id) = oldest else { return };
        tracing::info!(model = id, "model unloaded to make room");
        loaded.remove(&id);
    }
}

fn sweep_regularly(nets: Weak<Nets>, idle: Duration) {
    let every = (idle / 4).clamp(Duration::from_millis(50), Duration::from_secs(30));
    let sweeper = std::thread::Builder::new().name("engine-sweeper".into()).spawn(move || {
        loop {
            std::thread::sleep(every);
            match nets.upgrade() {
                Some(nets) => nets.sweep(Instant::now()),
                None => return,
            }
        }
    });
    if let Err(error) = sweeper {
        tracing::error!(%error, "cannot start the thread that unloads idle models");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(used: Instant, bytes: u64) -> Loaded {
        Loaded { slot: Slot::default(), used, bytes }
    }

    #[test]
    fn the_least_lately_used_model_makes_room() {
        let start = Instant::now();
        let mut models = HashMap::from([
            ("old".to_owned(), loaded(start, 60)),
            ("new".to_owned(), loaded(start + Duration::from_secs(5), 60)),
        ]);
        make_room(&mut models, 100);
        assert!(models.contains_key("new") && models.len() == 1);
        make_room(&mut models, 0);
        assert!(models.is_empty());
    }

    #[test]
    fn an_idle_model_goes_and_one_in_use_stays() {
        let keeping = Keeping { idle: Some(Duration::from_secs(60)), bytes: 1_000 };
        let nets = Nets { models_dir: PathBuf::new(), keeping, loaded: Mutex::new(HashMap::new()) };
        let start = Instant::now();
        let used = loaded(start, 1);
        let held = used.slot.clone();
        nets.loaded().insert("used".into(), used);
        nets.loaded().insert("idle".into(), loaded(start, 1));
        nets.sweep(start + Duration::from_secs(61));
        assert_eq!(nets.loaded().keys().collect::<Vec<_>>(), ["used"]);
        drop(held);
        nets.sweep(start + Duration::from_secs(200));
        assert!(nets.loaded().is_empty());
    }
}
