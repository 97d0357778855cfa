//! Where the blob store keeps an artifact's bytes.

use auris_domain::id::{ArtifactId, JobId, ProjectId};

/// `project/job/artifact`: one folder a job, so that a person finds what belongs together.
pub fn blob_key(project: &ProjectId, job: &JobId, artifact: &ArtifactId) -> String {
    format!("{project}/{job}/{artifact}")
}

/// The artifact that a blob belongs to; `None` for a key that this program never writes.
pub fn artifact_of_blob(key: &str) -> Option<ArtifactId> {
    key.rsplit('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use auris_domain::time::Millis;

    use super::*;

    #[test]
    fn the_artifact_is_found_again_from_its_key() {
        let now = Millis(1_763_200_000_000);
        let artifact = ArtifactId::generate(now);
        let key = blob_key(&ProjectId::generate(now), &JobId::generate(now), &artifact);
        assert_eq!(artifact_of_blob(&key), Some(artifact));
        assert_eq!(artifact_of_blob("lost+found"), None);
    }
}
