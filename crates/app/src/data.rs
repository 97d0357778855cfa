//! The data folder: made on first use, its database opened and migrated.

use std::fs;
use std::path::Path;

use anyhow::{Context, bail};
use auris_domain::id::KeyId;
use auris_domain::project::{ApiKey, KeySecret, Project, Scope};
use auris_domain::time::{Clock, Millis, Timestamp};
use auris_store::{BlobSettings, Blobs, Store};

use crate::config::Config;

pub(crate) const DEFAULT_PROJECT: &str = "default";

/// Makes the folders that everything else stands in, readable by their owner only.
pub(crate) fn make_folders(config: &Config) -> anyhow::Result<()> {
    let blobs = match &config.blobs {
        BlobSettings::Folder(folder) => Some(folder),
        BlobSettings::Bucket(_) => None,
    };
    for folder in [&config.data, &config.service.spool_dir].into_iter().chain(blobs) {
        make_private(folder).with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
    }
    Ok(())
}

fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens the database and brings its schema up to date.
pub(crate) async fn open_store(config: &Config) -> anyhow::Result<Store> {
    let store = connect(config).await?;
    if config.migrate {
        store.migrate().await.context("cannot bring the database up to date")?;
    } else {
        check_schema(&store).await?;
    }
    Ok(store)
}

/// Opens the database as it is.
pub(crate) async fn connect(config: &Config) -> anyhow::Result<Store> {
    make_folders(config)?;
    Store::open(&config.database).await.context("cannot open the database")
}

async fn check_schema(store: &Store) -> anyhow::Result<()> {
    let (schema, known) = (store.schema_version().await?, Store::known_schema());
    if schema < known {
        bail!(
            "the database has schema {schema}, this program needs {known}, and `database.migrate` is false; run \
             `auris migrate`"
        );
    }
    Ok(())
}

/// Opens the store of blobs; it is not asked whether it is there.
pub(crate) fn open_blobs(config: &Config) -> anyhow::Result<Blobs> {
    Blobs::open(&config.blobs).context("cannot open the store of blobs; see the settings `blobs`")
}

/// The project of that name; `default` is made when it is not there yet.
pub(crate) async fn project(store: &Store, name: &str, now: Millis) -> anyhow::Result<Project> {
    if let Some(project) = store.project_by_name(name).await? {
        return Ok(project);
    }
    if name == DEFAULT_PROJECT
        && let Some(project) = store.create_project(name, now).await?
    {
        return Ok(project);
    }
    let found = store.project_by_name(name).await?;
    found
        .with_context(|| format!("there is no project `{name}`; make it with `auris projects create {name}`"))
}

/// What a new key is to be.
pub(crate) struct NewKey {
    pub(crate) name: String,
    pub(crate) scopes: Vec<Scope>,
    pub(crate) expires_at: Option<Timestamp>,
}

/// Makes a key; this is the only moment at which it can be seen.
pub(crate) async fn create_key(
    store: &Store,
    project: &Project,
    new: NewKey,
) -> anyhow::Result<(ApiKey, KeySecret)> {
    let (key, secret) = new_key(project, new);
    store.create_key(&key, &secret).await?;
    Ok((key, secret))
}

/// A key that is not kept yet.
pub(crate) fn new_key(project: &Project, new: NewKey) -> (ApiKey, KeySecret) {
    let now = Clock::System.now();
    let secret = KeySecret::generate();
    let key = ApiKey {
        id: KeyId::generate(now),
        project_id: project.id.clone(),
        name: new.name,
        scopes: new.scopes,
        hint: secret.hint(),
        created_at: now.timestamp(),
        expires_at: new.expires_at,
        revoked_at: None,
        last_used_at: None,
    };
    (key, secret)
}
