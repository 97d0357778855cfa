//! The store of blobs: every right that the service needs, tried on a blob of our own.

use std::time::{Duration, SystemTime};

use anyhow::{Context, bail};
use auris_store::{BlobSettings, Blobs};
use futures::TryStreamExt;

use super::Finding;
use crate::config::Config;
use crate::data;

const CHECK: &str = "blobs";
const BYTES: &[u8] = b"auris doctor was here";
const HOUR: Duration = Duration::from_secs(3600);

pub(super) async fn look(config: &Config) -> Vec<Finding> {
    let place = match &config.blobs {
        BlobSettings::Folder(folder) => folder.display().to_string(),
        BlobSettings::Bucket(bucket) => format!("s3://{}/{}", bucket.bucket, bucket.prefix),
    };
    let finding = match data::open_blobs(config) {
        Ok(blobs) => match tried(&blobs).await {
            Ok(()) => Finding::ok(CHECK, format!("{place}: written, listed, read, signed and deleted")),
            Err(error) => Finding::failed(CHECK, &error, advice(&config.blobs)),
        },
        Err(error) => Finding::failed(CHECK, &error, advice(&config.blobs)),
    };
    vec![finding]
}

fn advice(settings: &BlobSettings) -> &'static str {
    match settings {
        BlobSettings::Folder(_) => "let the user of the service write to the folder, and look at its disk",
        BlobSettings::Bucket(_) => {
            "see that the bucket is there and that AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY may s3:PutObject, \
             s3:GetObject, s3:DeleteObject and s3:ListBucket in it; `blobs.endpoint` and `blobs.region` must fit"
        }
    }
}

/// One after the other, so that the first right that is missing names itself.
async fn tried(blobs: &Blobs) -> anyhow::Result<()> {
    let key = format!(".doctor/{:016x}", std::process::id());
    blobs.put_bytes(&key, BYTES.into()).await.context("cannot write")?;
    let seen = seen(blobs, &key).await;
    let deleted = blobs.delete(std::slice::from_ref(&key)).await.context("cannot delete");
    seen.and(deleted)
}

async fn seen(blobs: &Blobs, key: &str) -> anyhow::Result<()> {
    let mut listed = blobs.list(SystemTime::now() + HOUR);
    listed.try_next().await.context("cannot list")?.context("a blob that was written is not listed")?;
    let blob = blobs.get_stream(key, Some(0..5)).await.context("cannot read")?;
    let blob = blob.context("a blob that was written is not there")?;
    let parts: Vec<_> = blob.stream.try_collect().await.context("cannot read")?;
    if parts.concat() != BYTES[..5] {
        bail!("a blob that was written reads otherwise");
    }
    blobs.address(key, "doctor.bin", HOUR).await.context("cannot sign an address")?;
    Ok(())
}
