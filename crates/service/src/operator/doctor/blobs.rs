//! The blob store: tries every operation that the service needs, on a test blob.

use std::time::Duration;

use auris_store::{BlobSettings, Blobs};
use futures::TryStreamExt;

use super::super::error::Context;
use super::super::{OperatorError, Result};
use super::{Finding, Installation};

const CHECK: &str = "blobs";
const BYTES: &[u8] = b"auris doctor was here";
const ADDRESS_LIFETIME: Duration = Duration::from_secs(3600);

pub(super) async fn check(installation: &Installation) -> Finding {
    let settings = &installation.blob_settings;
    let place = match settings {
        BlobSettings::Folder(folder) => folder.display().to_string(),
        BlobSettings::Bucket(bucket) => format!("s3://{}/{}", bucket.bucket, bucket.prefix),
    };
    match &installation.blobs {
        Ok(blobs) => match try_all(blobs, installation).await {
            Ok(()) => Finding::ok(CHECK, format!("{place}: written, listed, read, signed and deleted")),
            Err(error) => Finding::failed(CHECK, &error, advice(settings)),
        },
        Err(error) => Finding::problem(CHECK, error, advice(settings)),
    }
}

fn advice(settings: &BlobSettings) -> &'static str {
    match settings {
        BlobSettings::Folder(_) => "let the user of the service write to the folder, and check its disk",
        BlobSettings::Bucket(_) => {
            "check that the bucket exists and that AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY allow s3:PutObject, \
             s3:GetObject, s3:DeleteObject and s3:ListBucket; check `blobs.endpoint` and `blobs.region`"
        }
    }
}

/// One operation after the other, so that the message names the first permission that is missing.
async fn try_all(blobs: &Blobs, installation: &Installation) -> Result<()> {
    let key = format!(".doctor/{:016x}", std::process::id());
    blobs.put_bytes(&key, BYTES.into()).await.context(|| "cannot write".into())?;
    let seen = list_and_read(blobs, &key, installation).await;
    let deleted = blobs.delete(std::slice::from_ref(&key)).await.context(|| "cannot delete".into());
    seen.and(deleted)
}

async fn list_and_read(blobs: &Blobs, key: &str, installation: &Installation) -> Result<()> {
    // An hour ahead, so that the new blob is listed although the clocks of this machine and the bucket differ.
    let later = installation.clock.now().plus_ms(ADDRESS_LIFETIME.as_millis() as i64);
    let mut listed = blobs.list(later.to_system_time());
    let first = listed.try_next().await.context(|| "cannot list".into())?;
    if first.is_none() {
        return Err(OperatorError::conflict("a blob that was written is not listed"));
    }
    let blob = blobs.get_stream(key, Some(0..5)).await.context(|| "cannot read".into())?;
    let blob = blob.ok_or_else(|| OperatorError::conflict("a blob that was written does not exist"))?;
    let parts: Vec<_> = blob.stream.try_collect().await.context(|| "cannot read".into())?;
    if parts.concat() != BYTES[..5] {
        return Err(OperatorError::conflict("a blob that was written reads back differently"));
    }
    blobs.address(key, "doctor.bin", ADDRESS_LIFETIME).await.context(|| "cannot sign an address".into())?;
    Ok(())
}
