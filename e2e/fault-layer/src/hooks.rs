//! The functions that take the place of those of the C library.
//!
//! Several have two names: the C library has them with and without `64`, which is the same on a system of 64 bits. The
//! last argument of `open` is optional in C. It is passed like any other argument, so it can be declared here.

use std::ffi::{c_char, c_int, c_void};

use crate::c_library::c_function;
use crate::counted_calls::{on_bytes, on_file, on_name, on_open, on_parts, path_in_folder};
use crate::operation::Change;

type Write = unsafe extern "C" fn(c_int, *const c_void, usize) -> isize;
type WriteAt = unsafe extern "C" fn(c_int, *const c_void, usize, i64) -> isize;
type WriteParts = unsafe extern "C" fn(c_int, *const libc::iovec, c_int) -> isize;
type WritePartsAt = unsafe extern "C" fn(c_int, *const libc::iovec, c_int, i64) -> isize;
type Truncate = unsafe extern "C" fn(c_int, i64) -> c_int;
type Synchronize = unsafe extern "C" fn(c_int) -> c_int;
type Open = unsafe extern "C" fn(*const c_char, c_int, ...) -> c_int;
type OpenAt = unsafe extern "C" fn(c_int, *const c_char, c_int, ...) -> c_int;
type OnPath = unsafe extern "C" fn(*const c_char) -> c_int;
type Unlink = unsafe extern "C" fn(c_int, *const c_char, c_int) -> c_int;
type MakeFolder = unsafe extern "C" fn(*const c_char, u32) -> c_int;
type Rename = unsafe extern "C" fn(*const c_char, *const c_char) -> c_int;
type Link = unsafe extern "C" fn(c_int, *const c_char, c_int, *const c_char, c_int) -> c_int;
type CopyRange = unsafe extern "C" fn(c_int, *mut i64, c_int, *mut i64, usize, u32) -> isize;
type SendFile = unsafe extern "C" fn(c_int, c_int, *mut i64, usize) -> isize;

#[unsafe(no_mangle)]
extern "C" fn write(fd: c_int, bytes: *const c_void, length: usize) -> isize {
    let real = c_function!(c"write", Write);
    on_bytes(fd, None, length, |length| unsafe { real(fd, bytes, length) })
}

#[unsafe(no_mangle)]
extern "C" fn pwrite(fd: c_int, bytes: *const c_void, length: usize, offset: i64) -> isize {
    let real = c_function!(c"pwrite", WriteAt);
    on_bytes(fd, Some(offset), length, |length| unsafe { real(fd, bytes, length, offset) })
}

#[unsafe(no_mangle)]
extern "C" fn pwrite64(fd: c_int, bytes: *const c_void, length: usize, offset: i64) -> isize {
    let real = c_function!(c"pwrite64", WriteAt);
    on_bytes(fd, Some(offset), length, |length| unsafe { real(fd, bytes, length, offset) })
}

#[unsafe(no_mangle)]
extern "C" fn writev(fd: c_int, parts: *const libc::iovec, count: c_int) -> isize {
    let real = c_function!(c"writev", WriteParts);
    on_parts(fd, None, (parts, count), |parts, count| unsafe { real(fd, parts, count) })
}

#[unsafe(no_mangle)]
extern "C" fn pwritev(fd: c_int, parts: *const libc::iovec, count: c_int, offset: i64) -> isize {
    let real = c_function!(c"pwritev", WritePartsAt);
    on_parts(fd, Some(offset), (parts, count), |parts, count| unsafe { real(fd, parts, count, offset) })
}

#[unsafe(no_mangle)]
extern "C" fn pwritev64(fd: c_int, parts: *const libc::iovec, count: c_int, offset: i64) -> isize {
    let real = c_function!(c"pwritev64", WritePartsAt);
    on_parts(fd, Some(offset), (parts, count), |parts, count| unsafe { real(fd, parts, count, offset) })
}

#[unsafe(no_mangle)]
extern "C" fn copy_file_range(
    from: c_int,
    from_offset: *mut i64,
    to: c_int,
    to_offset: *mut i64,
    length: usize,
    flags: u32,
) -> isize {
    let real = c_function!(c"copy_file_range", CopyRange);
    let offset = (!to_offset.is_null()).then(|| unsafe { *to_offset });
    on_bytes(to, offset, length, |length| unsafe { real(from, from_offset, to, to_offset, length, flags) })
}

#[unsafe(no_mangle)]
extern "C" fn sendfile(to: c_int, from: c_int, offset: *mut i64, length: usize) -> isize {
    let real = c_function!(c"sendfile", SendFile);
    on_bytes(to, None, length, |length| unsafe { real(to, from, offset, length) })
}

#[unsafe(no_mangle)]
extern "C" fn sendfile64(to: c_int, from: c_int, offset: *mut i64, length: usize) -> isize {
    let real = c_function!(c"sendfile64", SendFile);
    on_bytes(to, None, length, |length| unsafe { real(to, from, offset, length) })
}

#[unsafe(no_mangle)]
extern "C" fn ftruncate(fd: c_int, length: i64) -> c_int {
    let real = c_function!(c"ftruncate", Truncate);
    on_file("truncate", fd, || Change::Length { fd, length }, || unsafe { real(fd, length) })
}

#[unsafe(no_mangle)]
extern "C" fn ftruncate64(fd: c_int, length: i64) -> c_int {
    let real = c_function!(c"ftruncate64", Truncate);
    on_file("truncate", fd, || Change::Length { fd, length }, || unsafe { real(fd, length) })
}

#[unsafe(no_mangle)]
extern "C" fn fsync(fd: c_int) -> c_int {
    let real = c_function!(c"fsync", Synchronize);
    on_file("sync", fd, || Change::Synchronized { fd }, || unsafe { real(fd) })
}

#[unsafe(no_mangle)]
extern "C" fn fdatasync(fd: c_int) -> c_int {
    let real = c_function!(c"fdatasync", Synchronize);
    on_file("sync", fd, || Change::Synchronized { fd }, || unsafe { real(fd) })
}

#[unsafe(no_mangle)]
extern "C" fn open(path: *const c_char, flags: c_int, mode: u32) -> c_int {
    let real = c_function!(c"open", Open);
    on_open(libc::AT_FDCWD, path, flags, || unsafe { real(path, flags, mode) })
}

#[unsafe(no_mangle)]
extern "C" fn open64(path: *const c_char, flags: c_int, mode: u32) -> c_int {
    let real = c_function!(c"open64", Open);
    on_open(libc::AT_FDCWD, path, flags, || unsafe { real(path, flags, mode) })
}

#[unsafe(no_mangle)]
extern "C" fn openat(folder: c_int, path: *const c_char, flags: c_int, mode: u32) -> c_int {
    let real = c_function!(c"openat", OpenAt);
    on_open(folder, path, flags, || unsafe { real(folder, path, flags, mode) })
}

#[unsafe(no_mangle)]
extern "C" fn openat64(folder: c_int, path: *const c_char, flags: c_int, mode: u32) -> c_int {
    let real = c_function!(c"openat64", OpenAt);
    on_open(folder, path, flags, || unsafe { real(folder, path, flags, mode) })
}

#[unsafe(no_mangle)]
extern "C" fn mkdir(path: *const c_char, mode: u32) -> c_int {
    let real = c_function!(c"mkdir", MakeFolder);
    on_name("mkdir", (libc::AT_FDCWD, path), Change::NewName, || unsafe { real(path, mode) })
}

#[unsafe(no_mangle)]
extern "C" fn linkat(
    from_folder: c_int,
    from: *const c_char,
    to_folder: c_int,
    to: *const c_char,
    flags: c_int,
) -> c_int {
    let real = c_function!(c"linkat", Link);
    let run = || unsafe { real(from_folder, from, to_folder, to, flags) };
    on_name("link", (to_folder, to), Change::NewName, run)
}

#[unsafe(no_mangle)]
extern "C" fn rename(from: *const c_char, to: *const c_char) -> c_int {
    let real = c_function!(c"rename", Rename);
    let run = || unsafe { real(from, to) };
    match path_in_folder((libc::AT_FDCWD, to)) {
        Some(to) => on_name("rename", (libc::AT_FDCWD, from), Change::Renamed { to }, run),
        None => run(),
    }
}

#[unsafe(no_mangle)]
extern "C" fn unlink(path: *const c_char) -> c_int {
    let real = c_function!(c"unlink", OnPath);
    on_name("remove", (libc::AT_FDCWD, path), Change::RemovedName, || unsafe { real(path) })
}

#[unsafe(no_mangle)]
extern "C" fn unlinkat(folder: c_int, path: *const c_char, flags: c_int) -> c_int {
    let real = c_function!(c"unlinkat", Unlink);
    on_name("remove", (folder, path), Change::RemovedName, || unsafe { real(folder, path, flags) })
}

#[unsafe(no_mangle)]
extern "C" fn rmdir(path: *const c_char) -> c_int {
    let real = c_function!(c"rmdir", OnPath);
    on_name("remove", (libc::AT_FDCWD, path), Change::RemovedName, || unsafe { real(path) })
}
