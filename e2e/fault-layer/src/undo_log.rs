//! What a power cut would lose: the bytes and names that were written and not synchronized since.

use std::ffi::{CStr, CString, c_int};

use crate::operation::{Change, Operation, c_path};
use crate::system_calls::{self, FileStatus};

/// The end of the names of SQLite's shared memory, which no power cut preserves and no restart reads.
const SHARED_MEMORY: &[u8] = b"-shm";

/// How to undo the changes, in their order.
#[derive(Default)]
pub(crate) struct UndoLog {
    /// One open file for each file that was changed. They are never closed: closing any of a process's descriptors of a
    /// file releases all its locks on it, and SQLite holds such locks.
    files: Vec<(FileStatus, c_int)>,
    entries: Vec<Undo>,
}

pub(crate) enum Undo {
    /// Writes the old bytes and restores the length.
    Content { device: u64, inode: u64, fd: c_int, offset: i64, bytes: Vec<u8>, length: i64 },
    /// Removes a name.
    Name(Vec<u8>),
    /// Gives a file its old name.
    Rename { from: Vec<u8>, to: Vec<u8> },
}

impl UndoLog {
    /// How to undo the operation, read before it is done.
    pub(crate) fn prepare(&mut self, operation: &Operation) -> Option<Undo> {
        if operation.path.ends_with(SHARED_MEMORY) {
            return None;
        }
        let path = || operation.path.clone();
        match &operation.change {
            Change::Bytes { fd, offset, length } => self.content(*fd, *offset, *length),
            Change::Length { fd, length } => self.content(*fd, *length, usize::MAX),
            Change::Emptied => {
                let path = c_path(&operation.path)?;
                self.content(system_calls::open(&path, libc::O_RDWR), 0, usize::MAX)
            }
            Change::NewName => Some(Undo::Name(path())),
            Change::Renamed { to } => {
                // A name that is replaced stays: either file may be there after a power cut.
                let is_new = !system_calls::exists(libc::AT_FDCWD, &c_path(to)?);
                is_new.then(|| Undo::Rename { from: path(), to: to.clone() })
            }
            Change::Synchronized { .. } | Change::RemovedName => None,
        }
    }

    /// Adds what an operation that succeeded has changed, or removes what it has synchronized.
    pub(crate) fn add(&mut self, operation: &Operation, undo: Option<Undo>) {
        if let Change::Synchronized { fd } = &operation.change {
            self.synchronized(*fd, &operation.path);
        }
        self.entries.extend(undo);
    }

    /// Undoes everything, the latest change first. A lost file or folder gets a name elsewhere.
    pub(crate) fn undo(&mut self, lost_name: impl Fn(usize) -> Option<CString>) {
        for (number, entry) in self.entries.drain(..).enumerate().rev() {
            match entry {
                Undo::Content { fd, offset, bytes, length, .. } => {
                    system_calls::write_at(fd, &bytes, offset);
                    system_calls::set_length(fd, length);
                }
                Undo::Name(path) => move_file(c_path(&path), lost_name(number)),
                Undo::Rename { from, to } => move_file(c_path(&to), c_path(&from)),
            }
        }
    }

    /// The bytes of the file from the offset on, up to that many, and its length.
    fn content(&mut self, fd: c_int, offset: i64, most: usize) -> Option<Undo> {
        let (status, own) = self.own_file(fd)?;
        let rest = usize::try_from(status.length - offset).unwrap_or(0);
        Some(Undo::Content {
            device: status.device,
            inode: status.inode,
            fd: own,
            offset,
            bytes: system_calls::read_at(own, offset, rest.min(most)),
            length: status.length,
        })
    }

    /// The file's status now, and a descriptor of ours, because the program's may be for writing only.
    fn own_file(&mut self, fd: c_int) -> Option<(FileStatus, c_int)> {
        let status = system_calls::status(fd)?;
        let known = self.files.iter().find(|(known, _)| is_same(known, &status));
        if let Some((_, own)) = known {
            return Some((status, *own));
        }
        let link = system_calls::link_of(fd);
        let link = CStr::from_bytes_until_nul(&link).ok()?;
        let own = system_calls::open(link, libc::O_RDWR);
        if own < 0 {
            return None;
        }
        self.files.push((status, own));
        Some((status, own))
    }

    /// A synchronized file keeps its bytes, a synchronized folder the names in it.
    fn synchronized(&mut self, fd: c_int, path: &[u8]) {
        let Some(synchronized) = system_calls::status(fd) else { return };
        self.entries.retain(|entry| match entry {
            Undo::Content { device, inode, .. } => {
                (*device, *inode) != (synchronized.device, synchronized.inode)
            }
            Undo::Name(name) => !synchronized.is_folder || folder_of(name) != path,
            Undo::Rename { to, .. } => !synchronized.is_folder || folder_of(to) != path,
        });
    }
}

fn is_same(one: &FileStatus, other: &FileStatus) -> bool {
    (one.device, one.inode) == (other.device, other.inode)
}

fn folder_of(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    path.get(..end).unwrap_or_default()
}

fn move_file(from: Option<CString>, to: Option<CString>) {
    if let (Some(from), Some(to)) = (from, to) {
        system_calls::rename(&from, &to);
    }
}
