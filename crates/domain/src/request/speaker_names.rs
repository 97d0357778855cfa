//! The request that names the speakers of a job.

use std::collections::BTreeMap;

use super::check::{Object, Path};
use super::read::{check_length, string};
use crate::error::{Checked, ErrorCode};
use crate::raw_json::RawJson;

/// Maximum number of speakers with a name. A diarization finds no more.
const MAX_NAMES: usize = 100;
/// Maximum characters of a speaker's label, and of its name.
const MAX_CHARACTERS: usize = 100;

/// A checked `PUT …/speakers`: the name of each speaker by its label, such as `SPEAKER_1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpeakerNamesRequest {
    pub names: BTreeMap<String, String>,
}

impl SpeakerNamesRequest {
    pub fn parse(body: RawJson<'_>) -> Checked<Self> {
        let mut object = Object::read(&Path::Root, body)?;
        let names = object.required("names", names)?;
        object.finish()?;
        Ok(Self { names })
    }
}

fn names(path: &Path<'_>, value: RawJson<'_>) -> Checked<BTreeMap<String, String>> {
    let object = Object::read(path, value)?;
    let count = object.count();
    if count > MAX_NAMES {
        let message = format!("`{path}` has {count} entries; at most {MAX_NAMES} are allowed.");
        return Err(path.refuse(ErrorCode::TooManyItems, message));
    }
    let entries = object.rest().into_iter();
    entries.map(|(label, value)| entry(path, label.into_owned(), value)).collect()
}

fn entry(path: &Path<'_>, label: String, value: RawJson<'_>) -> Checked<(String, String)> {
    // The path ends at the object: a label with a control character would not be readable in it.
    check_printable(path, &label)?;
    let place = path.field(&label);
    check_length(&place, &label, &(1..=MAX_CHARACTERS))?;
    let name = string(&place, value)?;
    check_length(&place, &name, &(1..=MAX_CHARACTERS))?;
    check_printable(&place, &name)?;
    Ok((label, name))
}

fn check_printable(path: &Path<'_>, text: &str) -> Checked<()> {
    match text.chars().any(char::is_control) {
        true => Err(path.invalid("without control characters")),
        false => Ok(()),
    }
}
