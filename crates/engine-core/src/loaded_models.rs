//! The cache of loaded models: loaded on first use, shared, unloaded when idle or when others need the memory.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::{EngineError, MemoryBudget};

/// When loaded models are unloaded.
#[derive(Debug, Clone, Copy)]
pub struct UnloadPolicy {
    /// Unload a model that was unused for this long; `None` never unloads.
    pub idle: Option<Duration>,
    /// Memory limit for all loaded models together. The least recently used model is unloaded first.
    pub bytes: u64,
}

/// Which model to load, and the memory that it will probably need.
#[derive(Debug, Clone, Copy)]
pub struct ModelKey<'a> {
    pub id: &'a str,
    pub bytes: u64,
}

/// A model that is in memory or being loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedModel {
    pub id: String,
    /// The memory that it occupies; `None` if that is not known.
    pub memory_bytes: Option<u64>,
}

/// A model of any kind. The crate that loads it knows its type.
type AnyModel = Arc<dyn Any + Send + Sync>;

/// A model in memory, and how long it took to load.
struct Loaded {
    model: AnyModel,
    load_time: Duration,
}

/// A model that is loaded or being loaded: the first caller loads it while the others wait for the lock.
type Slot = Arc<Mutex<Option<Loaded>>>;

struct CachedModel {
    slot: Slot,
    last_used: Instant,
    bytes: u64,
}

impl CachedModel {
    /// False after a load that failed.
    fn is_loaded(&self) -> bool {
        let slot = self.slot.try_lock();
        // Locked while the model is being loaded.
        slot.is_none_or(|slot| slot.is_some())
    }

    fn is_in_use(&self) -> bool {
        let is_being_loaded = Arc::strong_count(&self.slot) > 1;
        let is_held = || {
            let slot = self.slot.try_lock();
            slot.is_some_and(|slot| slot.as_ref().is_some_and(|loaded| Arc::strong_count(&loaded.model) > 1))
        };
        is_being_loaded || is_held()
    }
}

/// The models of this process.
pub struct LoadedModels {
    policy: UnloadPolicy,
    models: Mutex<HashMap<String, CachedModel>>,
    memory: Arc<MemoryBudget>,
}

impl LoadedModels {
    /// Creates the cache and starts the thread that unloads idle models.
    pub fn new(policy: UnloadPolicy) -> Arc<Self> {
        let memory = Arc::new(MemoryBudget::new(policy.bytes));
        let models = Arc::new(Self { policy, models: Mutex::default(), memory });
        if let Some(idle) = policy.idle {
            start_sweeper(Arc::downgrade(&models), idle);
        }
        models
    }

    /// The memory that the models share with the work on them.
    pub fn memory(&self) -> &Arc<MemoryBudget> {
        &self.memory
    }

    /// Returns the model, loading it with `load` if it is not in memory.
    pub fn get<M: Any + Send + Sync>(
        &self,
        key: ModelKey<'_>,
        load: impl FnOnce() -> Result<M, EngineError>,
    ) -> Result<Arc<M>, EngineError> {
        let slot = self.slot(key);
        let mut slot = slot.lock();
        let model = match slot.as_ref() {
            Some(loaded) => loaded.model.clone(),
            None => slot.insert(load_timed(key.id, load)?).model.clone(),
        };
        let other_type =
            |_| EngineError::internal(format!("the model `{}` is loaded as another type", key.id));
        model.downcast().map_err(other_type)
    }

    /// Returns the model if it is in memory. Does not wait for one that is being loaded.
    pub fn find<M: Any + Send + Sync>(&self, id: &str) -> Option<Arc<M>> {
        let slot = self.known_slot(id)?;
        let model = slot.try_lock()?.as_ref().map(|loaded| loaded.model.clone())?;
        model.downcast().ok()
    }

    /// How long the model took to load; `None` if it is not in memory.
    pub fn load_time(&self, id: &str) -> Option<Duration> {
        let slot = self.models.lock().get(id)?.slot.clone();
        let loaded = slot.try_lock()?;
        loaded.as_ref().map(|loaded| loaded.load_time)
    }

    /// Sets what a model occupies, which is known once it is loaded. If that is too much, others are unloaded.
    pub fn set_bytes(&self, id: &str, bytes: u64) {
        let mut models = self.models.lock();
        let Some(model) = models.remove(id) else { return };
        make_room(&mut models, self.policy.bytes.saturating_sub(bytes));
        models.insert(id.to_owned(), CachedModel { bytes, ..model });
        self.count(&models);
    }

    /// Unloads a model, for example because its files have changed. Calls that use it keep it until they end.
    pub fn unload(&self, id: &str) {
        let mut models = self.models.lock();
        if models.remove(id).is_some() {
            tracing::info!(model = id, "model unloaded");
        }
        self.count(&models);
    }

    fn known_slot(&self, id: &str) -> Option<Slot> {
        let mut models = self.models.lock();
        let cached = models.get_mut(id)?;
        cached.last_used = Instant::now();
        Some(cached.slot.clone())
    }

    fn slot(&self, key: ModelKey<'_>) -> Slot {
        let mut models = self.models.lock();
        if !models.contains_key(key.id) {
            make_room(&mut models, self.policy.bytes.saturating_sub(key.bytes));
        }
        let now = Instant::now();
        let cached = models.entry(key.id.to_owned());
        let cached =
            cached.or_insert_with(|| CachedModel { slot: Slot::default(), last_used: now, bytes: key.bytes });
        cached.last_used = now;
        let slot = cached.slot.clone();
        self.count(&models);
        slot
    }

    fn count(&self, models: &HashMap<String, CachedModel>) {
        self.memory.set_models(models.values().map(|cached| cached.bytes).sum());
    }

    /// The ids of the models that are loaded or being loaded, sorted.
    pub fn ids(&self) -> Vec<String> {
        let mut ids: Vec<_> = self.models.lock().keys().cloned().collect();
        ids.sort();
        ids
    }

    /// The models that are loaded or being loaded, sorted by id.
    pub fn list(&self) -> Vec<LoadedModel> {
        let models = self.models.lock();
        let loaded = models.iter().filter(|(_, cached)| cached.is_loaded());
        let mut list: Vec<LoadedModel> = loaded
            .map(|(id, cached)| LoadedModel {
                id: id.clone(),
                memory_bytes: (cached.bytes > 0).then_some(cached.bytes),
            })
            .collect();
        list.sort_by(|one, other| one.id.cmp(&other.id));
        list
    }

    /// Unloads the models that were idle for too long by `now`.
    pub fn unload_idle(&self, now: Instant) {
        let Some(idle) = self.policy.idle else { return };
        let mut models = self.models.lock();
        models.retain(|model, cached| {
            if cached.is_in_use() {
                cached.last_used = now;
            }
            let keep = now.saturating_duration_since(cached.last_used) < idle;
            if !keep {
                tracing::info!(model, "idle model unloaded");
            }
            keep
        });
        self.count(&models);
    }
}

fn load_timed<M: Any + Send + Sync>(
    id: &str,
    load: impl FnOnce() -> Result<M, EngineError>,
) -> Result<Loaded, EngineError> {
    let started = Instant::now();
    let model = load()?;
    let load_time = started.elapsed();
    tracing::info!(model = id, milliseconds = load_time.as_millis() as u64, "model loaded");
    Ok(Loaded { model: Arc::new(model), load_time })
}

/// Unloads the least recently used models until the rest fits into `room` bytes.
fn make_room(models: &mut HashMap<String, CachedModel>, room: u64) {
    while models.values().map(|cached| cached.bytes).sum::<u64>() > room {
        let oldest = models.iter().min_by_key(|(_, cached)| cached.last_used).map(|(id, _)| id.clone());
        let Some(id) = oldest else { return };
        tracing::info!(model = id, "model unloaded to make room");
        models.remove(&id);
    }
}

fn start_sweeper(models: Weak<LoadedModels>, idle: Duration) {
    let every = (idle / 4).clamp(Duration::from_millis(50), Duration::from_secs(30));
    let sweeper = std::thread::Builder::new().name("engine-sweeper".into()).spawn(move || {
        loop {
            std::thread::sleep(every);
            match models.upgrade() {
                Some(models) => models.unload_idle(Instant::now()),
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

    fn cached(last_used: Instant, bytes: u64) -> CachedModel {
        CachedModel { slot: Slot::default(), last_used, bytes }
    }

    fn models(idle: Option<Duration>) -> LoadedModels {
        let memory = Arc::new(MemoryBudget::new(1_000));
        LoadedModels { policy: UnloadPolicy { idle, bytes: 1_000 }, models: Mutex::default(), memory }
    }

    #[test]
    fn the_least_recently_used_model_makes_room() {
        let start = Instant::now();
        let mut models = HashMap::from([
            ("old".to_owned(), cached(start, 60)),
            ("new".to_owned(), cached(start + Duration::from_secs(5), 60)),
        ]);
        make_room(&mut models, 100);
        assert!(models.contains_key("new") && models.len() == 1);
        make_room(&mut models, 0);
        assert!(models.is_empty());
    }

    #[test]
    fn an_idle_model_is_unloaded_and_one_in_use_stays() {
        let models = models(Some(Duration::from_secs(60)));
        let key = |id| ModelKey { id, bytes: 1 };
        let held = models.get(key("used"), || Ok(1_u8)).unwrap();
        models.get(key("idle"), || Ok(2_u8)).unwrap();
        assert_eq!(models.memory().free(), 998);
        let start = Instant::now();
        models.unload_idle(start + Duration::from_secs(61));
        assert_eq!(models.ids(), ["used"]);
        drop(held);
        models.unload_idle(start + Duration::from_secs(200));
        assert!(models.ids().is_empty());
        assert_eq!(models.memory().free(), 1_000);
    }

    #[test]
    fn a_model_is_loaded_once_and_only_as_its_own_type() {
        let models = models(None);
        let key = ModelKey { id: "m", bytes: 1 };
        assert_eq!(*models.get(key, || Ok(7_u8)).unwrap(), 7);
        assert_eq!(*models.get(key, || Ok(8_u8)).unwrap(), 7);
        assert!(matches!(models.get(key, || Ok("seven")), Err(EngineError::Internal(_))));
    }

    #[test]
    fn only_a_model_in_memory_is_found() {
        let models = models(None);
        assert_eq!(models.find::<u8>("m"), None);
        models.get(ModelKey { id: "m", bytes: 1 }, || Ok(7_u8)).unwrap();
        assert_eq!(models.find::<u8>("m").as_deref(), Some(&7));
        assert_eq!(models.find::<u16>("m"), None);
    }

    #[test]
    fn an_unloaded_model_is_loaded_anew_and_stays_with_the_calls_that_have_it() {
        let models = models(None);
        let key = ModelKey { id: "m", bytes: 1 };
        assert_eq!(models.load_time("m"), None);
        let old = models.get(key, || Ok(7_u8)).unwrap();
        assert!(models.load_time("m").is_some());
        models.unload("m");
        assert_eq!((models.find::<u8>("m"), models.load_time("m")), (None, None));
        assert_eq!((*models.get(key, || Ok(8_u8)).unwrap(), *old), (8, 7));
    }

    #[test]
    fn a_loaded_model_counts_by_what_it_occupies_and_others_make_room_for_it() {
        let models = models(None);
        models.get(ModelKey { id: "other", bytes: 300 }, || Ok(1_u8)).unwrap();
        let load = || {
            models.set_bytes("m", 700);
            Ok(7_u8)
        };
        models.get(ModelKey { id: "m", bytes: 100 }, load).unwrap();
        assert_eq!((models.ids().len(), models.memory().free()), (2, 0));
        models.set_bytes("m", 701);
        assert_eq!((models.ids(), models.memory().free()), (vec!["m".to_owned()], 299));
        models.set_bytes("m", 5_000);
        assert_eq!(models.find::<u8>("m").as_deref(), Some(&7));
        models.set_bytes("unknown", 1);
        assert_eq!(models.ids(), ["m"]);
    }

    #[test]
    fn a_model_that_failed_to_load_is_loaded_by_the_next_call() {
        let models = models(None);
        let key = ModelKey { id: "m", bytes: 1 };
        assert!(models.get::<u8>(key, || Err(EngineError::internal("damaged"))).is_err());
        assert_eq!(models.list(), []);
        assert_eq!(*models.get(key, || Ok(7_u8)).unwrap(), 7);
        assert_eq!(models.list(), [LoadedModel { id: "m".into(), memory_bytes: Some(1) }]);
    }
}
