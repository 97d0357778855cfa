//! Opens what the configuration names: the database, the blob store, the model catalogue and the engines.

use std::fs;
use std::sync::Arc;

use anyhow::Context;
use auris_domain::time::Clock;
use auris_engines::install::Installer;
use auris_engines::{Catalog, EngineSettings, Engines, LocalCatalog, kernel_level_note};
use auris_service::MasterKey;
use auris_service::local::LocalEngines;
use auris_service::operator::doctor::Installation;
use auris_service::operator::{Folders, MasterKeySource, ModelLibrary, Operator, SchemaPolicy};
use auris_store::{Blobs, Store};
use tokio_util::sync::CancellationToken;

use crate::config::Config;

/// Opens the database without looking at its schema.
pub(crate) async fn connect(config: &Config) -> anyhow::Result<Store> {
    folders(config).create()?;
    Store::open(&config.database).await.context("cannot open the database")
}

/// Opens the database and brings its schema up to date, or refuses an old schema if the configuration says so.
pub(crate) async fn store(config: &Config) -> anyhow::Result<Store> {
    let store = connect(config).await?;
    let policy = if config.migrate { SchemaPolicy::Migrate } else { SchemaPolicy::Check };
    operator_of(&store).prepare_schema(policy).await?;
    Ok(store)
}

/// Opens the database for an operator's task.
pub(crate) async fn operator(config: &Config) -> anyhow::Result<Operator> {
    Ok(operator_of(&store(config).await?))
}

pub(crate) fn operator_of(store: &Store) -> Operator {
    Operator::new(store.clone(), Clock::System)
}

/// Opens the blob store without asking whether it answers.
pub(crate) fn blobs(config: &Config) -> anyhow::Result<Blobs> {
    Blobs::open(&config.blobs).context("cannot open the blob store; check the settings `blobs`")
}

/// The engines of this process, with the models of the catalogue.
pub(crate) fn engines(config: &Config) -> anyhow::Result<Engines> {
    let settings =
        EngineSettings { models_dir: config.models.dir.clone(), max_audio_seconds: config.max_audio_seconds };
    let catalog = catalog(config)?;
    // The engines follow the local models by themselves, but an invalid file should stop the start.
    with_local_models(config, &catalog)?;
    if let Some(note) = kernel_level_note() {
        tracing::warn!("{note}");
    }
    Ok(Engines::tuned(catalog, settings, &config.engines))
}

/// The engines for commands that work on files, without a server.
pub(crate) fn local_engines(config: &Config, cancel: CancellationToken) -> anyhow::Result<LocalEngines> {
    Ok(LocalEngines::new(Arc::new(engines(config)?), cancel))
}

/// The catalogue and the installed models.
pub(crate) fn models(config: &Config) -> anyhow::Result<ModelLibrary> {
    Ok(ModelLibrary::new(with_local_models(config, &catalog(config)?)?, installer(config)))
}

/// Installs models into the folder of the configuration.
pub(crate) fn installer(config: &Config) -> Installer {
    Installer::new(config.models.dir.clone(), config.models.mirror.clone())
}

/// Where the master keys of this node are. Fails if a setting is not a key.
pub(crate) fn master_keys(config: &Config) -> anyhow::Result<MasterKeySource> {
    let Some(current) = &config.master_key else {
        return Ok(MasterKeySource::in_folder(&config.data));
    };
    let current = MasterKey::from_base64(current).context("the setting `security.master_key`")?;
    let previous = config.previous_master_keys.iter().map(|text| MasterKey::from_base64(text));
    let previous =
        previous.collect::<Result<_, _>>().context("the setting `security.previous_master_keys`")?;
    Ok(MasterKeySource::Settings { current, previous })
}

/// The master keys that exist, the current one first. Empty before the first start.
pub(crate) fn existing_master_keys(config: &Config) -> anyhow::Result<Vec<MasterKey>> {
    Ok(master_keys(config)?.existing()?)
}

fn folders(config: &Config) -> Folders<'_> {
    Folders { data: &config.data, spool: &config.service.spool_dir, blobs: &config.blobs }
}

/// The catalogue with the models that were added on this machine.
fn with_local_models(config: &Config, catalog: &Catalog) -> anyhow::Result<Catalog> {
    let local = LocalCatalog::in_folder(&config.models.dir);
    local.merge_into(catalog).context("the local models cannot be read; correct the file or delete it")
}

/// The operator's catalogue or the built-in one, with the fake models if they are enabled.
fn catalog(config: &Config) -> anyhow::Result<Catalog> {
    let catalog = match &config.models.catalog {
        Some(path) => {
            let text =
                fs::read_to_string(path).with_context(|| format!("cannot read `{}`", path.display()))?;
            Catalog::parse(&text).with_context(|| format!("the catalogue `{}`", path.display()))?
        }
        None => Catalog::built_in()?,
    };
    Ok(if config.models.fake { catalog.with_fake()? } else { catalog })
}

/// Opens as much as can be opened, for `auris doctor`.
pub(crate) async fn installation(config: &Config) -> Installation {
    let reason = |error: anyhow::Error| format!("{error:#}");
    Installation {
        data_dir: config.data.clone(),
        spool_dir: config.service.spool_dir.clone(),
        folders: folders(config).create().map_err(|error| reason(error.into())),
        models: models(config).map_err(reason),
        database: connect(config).await.map_err(reason),
        database_settings: config.database.clone(),
        master_keys: existing_master_keys(config).map_err(reason),
        blobs: blobs(config).map_err(reason),
        blob_settings: config.blobs.clone(),
        clock: Clock::System,
    }
}
