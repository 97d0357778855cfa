//! Calls that are counted if their file is in the folder, and otherwise only passed on.

use std::ffi::{CStr, c_char, c_int};

use crate::layer::layer;
use crate::operation::{Change, Operation, Share};
use crate::system_calls;

/// Writes bytes at the offset, or at the position of the file. `run` writes the given number of them.
pub(crate) fn on_bytes(fd: c_int, offset: Option<i64>, length: usize, run: impl Fn(usize) -> isize) -> isize {
    let Some((layer, path)) = layer().and_then(|layer| Some((layer, layer.path_of(fd)?))) else {
        return run(length);
    };
    let offset = offset.unwrap_or_else(|| system_calls::position(fd));
    let change = Change::Bytes { fd, offset, length };
    layer.perform(&Operation { name: "write", path, change }, |share| match share {
        Share::Whole => run(length),
        Share::Half => run(length / 2),
    })
}

/// The same for bytes in several parts. Half of them is a piece of the first part.
pub(crate) fn on_parts(
    fd: c_int,
    offset: Option<i64>,
    (parts, count): (*const libc::iovec, c_int),
    run: impl Fn(*const libc::iovec, c_int) -> isize,
) -> isize {
    let all = match usize::try_from(count) {
        // SAFETY: the caller passes that many parts.
        Ok(count @ 1..) => unsafe { std::slice::from_raw_parts(parts, count) },
        Ok(0) | Err(_) => return run(parts, count),
    };
    let length: usize = all.iter().map(|part| part.iov_len).sum();
    on_bytes(fd, offset, length, |wanted| {
        if wanted == length {
            return run(parts, count);
        }
        let piece = libc::iovec { iov_base: all[0].iov_base, iov_len: all[0].iov_len.min(wanted) };
        run(&raw const piece, 1)
    })
}

/// Changes or synchronizes an open file.
pub(crate) fn on_file(
    name: &'static str,
    fd: c_int,
    change: impl Fn() -> Change,
    run: impl Fn() -> c_int,
) -> c_int {
    let Some((layer, path)) = layer().and_then(|layer| Some((layer, layer.path_of(fd)?))) else {
        return run();
    };
    layer.perform(&Operation { name, path, change: change() }, |_| run() as isize) as c_int
}

/// Opens a file. It is counted if it creates the file or empties it.
pub(crate) fn on_open(folder: c_int, path: *const c_char, flags: c_int, run: impl Fn() -> c_int) -> c_int {
    if flags & (libc::O_CREAT | libc::O_TRUNC) == 0 || path.is_null() {
        return run();
    }
    // SAFETY: the caller passes a path that ends with a zero byte.
    let exists = system_calls::exists(folder, unsafe { CStr::from_ptr(path) });
    let change = match exists {
        false if flags & libc::O_CREAT != 0 => Change::NewName,
        true if flags & libc::O_TRUNC != 0 => Change::Emptied,
        _ => return run(),
    };
    on_name("open", (folder, path), change, run)
}

/// Changes what is at a path, which is relative to the open folder.
pub(crate) fn on_name(
    name: &'static str,
    at: (c_int, *const c_char),
    change: Change,
    run: impl Fn() -> c_int,
) -> c_int {
    let Some((layer, path)) = layer().zip(path_in_folder(at)) else { return run() };
    layer.perform(&Operation { name, path, change }, |_| run() as isize) as c_int
}

pub(crate) fn path_in_folder((folder, path): (c_int, *const c_char)) -> Option<Vec<u8>> {
    if path.is_null() {
        return None;
    }
    // SAFETY: the caller passes a path that ends with a zero byte.
    layer()?.resolved(folder, unsafe { CStr::from_ptr(path) })
}
