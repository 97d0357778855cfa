//! An operation on a file or a folder, as the layer counts it.

use std::ffi::{CString, c_int};

/// One operation that changes a file or a folder, or synchronizes it.
pub(crate) struct Operation {
    pub(crate) name: &'static str,
    /// The absolute path.
    pub(crate) path: Vec<u8>,
    pub(crate) change: Change,
}

pub(crate) enum Change {
    /// Bytes are written at the offset.
    Bytes {
        fd: c_int,
        offset: i64,
        length: usize,
    },
    /// The file gets another length.
    Length {
        fd: c_int,
        length: i64,
    },
    /// An existing file is emptied when it is opened.
    Emptied,
    Synchronized {
        fd: c_int,
    },
    /// The path did not exist before.
    NewName,
    RemovedName,
    /// The path gets another name.
    Renamed {
        to: Vec<u8>,
    },
}

/// How much of an operation is done.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    Whole,
    /// Half of the bytes.
    Half,
}

impl Operation {
    /// The operation and the last part of its path.
    pub(crate) fn described(&self) -> String {
        let name = self.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        format!("{} {}", self.name, String::from_utf8_lossy(name))
    }
}

impl Change {
    /// Whether a full disk refuses it.
    pub(crate) fn needs_space(&self) -> bool {
        match self {
            Self::Bytes { .. } | Self::Length { .. } | Self::NewName => true,
            Self::Emptied | Self::Synchronized { .. } | Self::RemovedName | Self::Renamed { .. } => false,
        }
    }
}

/// The path for a system call; `None` if it contains a zero byte.
pub(crate) fn c_path(path: &[u8]) -> Option<CString> {
    CString::new(path).ok()
}
