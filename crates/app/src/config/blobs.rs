//! The settings of the blob store: a folder of this machine, or a bucket.

use std::path::{Path, PathBuf};

use anyhow::bail;
use auris_store::{BlobSettings, BucketSettings, Encryption};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawBlobs {
    url: String,
    endpoint: String,
    public_endpoint: String,
    region: String,
    path_style: bool,
    allow_http: bool,
    encryption: String,
    kms_key: String,
}

impl RawBlobs {
    pub(super) fn checked(&self, data: &Path) -> anyhow::Result<BlobSettings> {
        if self.url.is_empty() {
            return Ok(BlobSettings::Folder(data.join("blobs")));
        }
        if let Some(folder) = self.url.strip_prefix("file:") {
            return Ok(BlobSettings::Folder(PathBuf::from(folder)));
        }
        let Some(place) = self.url.strip_prefix("s3://") else {
            bail!(
                "the setting `blobs.url` is `{}`; it must be `s3://BUCKET/PREFIX` or `file:PATH`",
                self.url
            );
        };
        let (bucket, prefix) = place.split_once('/').unwrap_or((place, ""));
        if bucket.is_empty() {
            bail!("the setting `blobs.url` has no bucket; write it as `s3://BUCKET/PREFIX`");
        }
        Ok(BlobSettings::Bucket(BucketSettings {
            bucket: bucket.to_owned(),
            prefix: prefix.to_owned(),
            endpoint: self.endpoint(&self.endpoint, "endpoint")?,
            public_endpoint: self.endpoint(&self.public_endpoint, "public_endpoint")?,
            region: given(&self.region),
            path_style: self.path_style,
            allow_http: self.allow_http,
            encryption: self.encryption()?,
        }))
    }

    fn endpoint(&self, text: &str, name: &str) -> anyhow::Result<Option<String>> {
        match text.split_once("://") {
            None if text.is_empty() => Ok(None),
            Some(("https", host)) if !host.is_empty() => Ok(Some(text.to_owned())),
            Some(("http", host)) if !host.is_empty() && self.allow_http => Ok(Some(text.to_owned())),
            Some(("http", host)) if !host.is_empty() => {
                bail!(
                    "the setting `blobs.{name}` uses unencrypted HTTP; allow it with `blobs.allow_http = true`"
                )
            }
            Some(_) | None => {
                bail!("the setting `blobs.{name}` is `{text}`; it must be `https://HOST` or `http://HOST`")
            }
        }
    }

    fn encryption(&self) -> anyhow::Result<Encryption> {
        let kms = |twice| match given(&self.kms_key) {
            Some(key) => Ok(Encryption::Kms { key, twice }),
            None => {
                bail!(
                    "the setting `blobs.encryption` is `{}`, which requires `blobs.kms_key`",
                    self.encryption
                )
            }
        };
        match self.encryption.as_str() {
            "" => Ok(Encryption::Bucket),
            "AES256" => Ok(Encryption::Aes256),
            "aws:kms" => kms(false),
            "aws:kms:dsse" => kms(true),
            other => bail!(
                "the setting `blobs.encryption` is `{other}`; it must be AES256, aws:kms, aws:kms:dsse or empty"
            ),
        }
    }
}

fn given(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(url: &str) -> RawBlobs {
        RawBlobs {
            url: url.to_owned(),
            endpoint: String::new(),
            public_endpoint: String::new(),
            region: String::new(),
            path_style: true,
            allow_http: false,
            encryption: String::new(),
            kms_key: String::new(),
        }
    }

    fn check(raw: &RawBlobs) -> anyhow::Result<BlobSettings> {
        raw.checked(Path::new("/data"))
    }

    #[test]
    fn an_empty_url_is_a_folder_and_a_bucket_has_a_prefix() {
        assert_eq!(check(&raw("")).unwrap(), BlobSettings::Folder("/data/blobs".into()));
        assert_eq!(check(&raw("file:/other")).unwrap(), BlobSettings::Folder("/other".into()));
        let BlobSettings::Bucket(bucket) = check(&raw("s3://recordings/auris/one")).unwrap() else {
            panic!("a bucket")
        };
        assert_eq!((bucket.bucket.as_str(), bucket.prefix.as_str()), ("recordings", "auris/one"));
    }

    #[test]
    fn an_invalid_value_is_refused_with_the_name_of_its_setting() {
        let problem = |raw: RawBlobs| check(&raw).unwrap_err().to_string();
        assert!(problem(raw("ftp://x")).contains("blobs.url"));
        assert!(problem(raw("s3:///x")).contains("blobs.url"));
        assert!(problem(RawBlobs { endpoint: "http://s3".into(), ..raw("s3://b") }).contains("allow_http"));
        assert!(problem(RawBlobs { endpoint: "s3".into(), ..raw("s3://b") }).contains("blobs.endpoint"));
        assert!(
            problem(RawBlobs { encryption: "aws:kms".into(), ..raw("s3://b") }).contains("blobs.kms_key")
        );
        assert!(
            problem(RawBlobs { encryption: "rot13".into(), ..raw("s3://b") }).contains("blobs.encryption")
        );
    }
}
