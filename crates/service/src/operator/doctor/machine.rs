//! The machine: its folders, its disk, its models and its programs.

use std::path::Path;
use std::process::Command;

use auris_domain::model::Capability;
use auris_store::disk::free_bytes;

use super::super::ModelLibrary;
use super::{Finding, Installation};

/// Free space below which the disk is reported: several times the largest upload.
const LOW_DISK_BYTES: u64 = 1 << 30;

pub(super) fn check(installation: &Installation) -> Vec<Finding> {
    let mut findings = vec![folder(installation)];
    findings.extend(disk(&installation.data_dir));
    findings.push(match &installation.models {
        Ok(models) => installed_models(models),
        Err(error) => Finding::problem("models", error, "correct the catalogue"),
    });
    findings.push(ffmpeg());
    findings
}

fn folder(installation: &Installation) -> Finding {
    let found = installation.data_dir.display().to_string();
    let written = installation.folders.clone().and_then(|()| {
        let file = tempfile::tempfile_in(&installation.spool_dir);
        file.map(drop).map_err(|error| error.to_string())
    });
    match written {
        Ok(()) => Finding::ok("data folder", found),
        Err(error) => Finding::problem(
            "data folder",
            error,
            format!("let the user of the service write to `{found}`, or name another folder with --data DIR"),
        ),
    }
}

/// Free space; `None` if the file system does not report it.
fn disk(folder: &Path) -> Option<Finding> {
    let free = free_bytes(folder).ok()?;
    let found = format!("{:.1} GB free", free as f64 / 1e9);
    Some(match free < LOW_DISK_BYTES {
        true => Finding::warning(
            "disk",
            found,
            "uploads are written to this disk as they arrive; free some space",
        ),
        false => Finding::ok("disk", found),
    })
}

fn installed_models(models: &ModelLibrary) -> Finding {
    let installed: Vec<_> = models.installed().filter(|entry| !entry.files.is_empty()).collect();
    let names: Vec<&str> = installed.iter().map(|entry| entry.model.id.as_str()).collect();
    let folder = models.models_dir().display();
    let found = match names.is_empty() {
        true => format!("none installed in `{folder}`"),
        false => format!("{} in `{folder}`", names.join(", ")),
    };
    match installed.iter().any(|entry| entry.model.can(Capability::Transcription)) {
        true => Finding::ok("models", found),
        false => Finding::warning(
            "models",
            found,
            "no speech model is installed; install one with `auris models pull ID` (`auris models list` lists the ids)",
        ),
    }
}

fn ffmpeg() -> Finding {
    match Command::new("ffmpeg").arg("-version").output() {
        Ok(output) if output.status.success() => Finding::ok("ffmpeg", "installed"),
        Ok(_) | Err(_) => Finding::warning(
            "ffmpeg",
            "not installed",
            "only AMR, WMA, GSM and Speex recordings need it; install it if you receive such recordings",
        ),
    }
}
