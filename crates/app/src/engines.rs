//! The engines of a process, made from the configuration, and the models that a first use installs.

mod progress;

use std::fs;

use anyhow::{Context, bail};
use auris_engines::install::Installer;
use auris_engines::{Catalog, EngineSettings, Engines};

use crate::config::Config;
use progress::PullProgress;

pub(crate) fn build(config: &Config) -> anyhow::Result<Engines> {
    let settings =
        EngineSettings { models_dir: config.models.dir.clone(), max_audio_seconds: config.max_audio_seconds };
    Ok(Engines::tuned(catalog(config)?, settings, &config.engines))
}

/// The operator's catalogue or the built-in one, with the fake models where they are wanted.
pub(crate) fn catalog(config: &Config) -> anyhow::Result<Catalog> {
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

pub(crate) fn installer(config: &Config) -> Installer {
    Installer::new(config.models.dir.clone(), config.models.mirror.clone())
}

/// Installs a model with what it stands for, showing how it goes on.
pub(crate) async fn pull(config: &Config, catalog: &Catalog, id: &str) -> anyhow::Result<()> {
    let (installer, catalog, id) = (installer(config), catalog.clone(), id.to_owned());
    let pulled = tokio::task::spawn_blocking(move || {
        let mut progress = PullProgress::default();
        let pulled = installer.pull(&catalog, &id, &mut progress);
        progress.end();
        pulled
    });
    Ok(pulled.await??)
}

/// Sees to it that the model can be used: one of the catalogue that is not installed is pulled now.
pub(crate) async fn ensure(config: &Config, engines: &Engines, model: &str) -> anyhow::Result<()> {
    if engines.models().find(model).is_some() {
        return Ok(());
    }
    if engines.catalog().find(model).is_none() {
        bail!(unknown(model));
    }
    eprintln!("installing the model `{model}`");
    pull(config, engines.catalog(), model).await
}

pub(crate) fn unknown(model: &str) -> String {
    format!("there is no model `{model}`; `auris models list` shows those that are")
}
