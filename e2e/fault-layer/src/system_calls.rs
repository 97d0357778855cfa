//! What the layer itself does with files. It makes system calls, because the functions of the C library lead to `hooks`.

use std::ffi::{CStr, c_int};
use std::io::Write;

/// The exit code after a mistake in the settings of the layer.
const EXIT_CODE: c_int = 97;
/// The longest path of Linux.
const PATH_BYTES: usize = 4096;
/// Longer than `/proc/self/fd/` with any number.
const LINK_BYTES: usize = 32;

/// Which file an open file is, and its size.
#[derive(Clone, Copy)]
pub(crate) struct FileStatus {
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) length: i64,
    pub(crate) is_folder: bool,
}

/// Ends the process with a message.
pub(crate) fn stop(message: &str) -> ! {
    write(libc::STDERR_FILENO, message.as_bytes());
    // SAFETY: ends the process without running anything of it.
    unsafe { libc::_exit(EXIT_CODE) }
}

/// Ends the process as a power cut would.
pub(crate) fn die() -> ! {
    // SAFETY: both calls take no pointers.
    unsafe {
        libc::kill(libc::getpid(), libc::SIGKILL);
        loop {
            libc::pause();
        }
    }
}

/// The file descriptor, or -1.
pub(crate) fn open(path: &CStr, flags: c_int) -> c_int {
    let mode: libc::c_uint = 0o600;
    let flags = flags | libc::O_CLOEXEC;
    // SAFETY: the path ends with a zero byte.
    let fd = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, mode) };
    c_int::try_from(fd).unwrap_or(-1)
}

/// Writes at the position of the file. Errors are ignored: there is nobody to report them to.
pub(crate) fn write(fd: c_int, bytes: &[u8]) {
    // SAFETY: the pointer and the length belong to one slice.
    unsafe { libc::syscall(libc::SYS_write, fd, bytes.as_ptr(), bytes.len()) };
}

pub(crate) fn write_at(fd: c_int, bytes: &[u8], offset: i64) {
    // SAFETY: the pointer and the length belong to one slice.
    unsafe { libc::syscall(libc::SYS_pwrite64, fd, bytes.as_ptr(), bytes.len(), offset) };
}

pub(crate) fn set_length(fd: c_int, length: i64) {
    // SAFETY: the call takes no pointers.
    unsafe { libc::syscall(libc::SYS_ftruncate, fd, length) };
}

pub(crate) fn rename(from: &CStr, to: &CStr) {
    let flags: libc::c_uint = 0;
    let here = libc::AT_FDCWD;
    // SAFETY: the paths end with a zero byte.
    unsafe { libc::syscall(libc::SYS_renameat2, here, from.as_ptr(), here, to.as_ptr(), flags) };
}

/// Up to `length` bytes of the file; fewer at its end.
pub(crate) fn read_at(fd: c_int, offset: i64, length: usize) -> Vec<u8> {
    let mut bytes = vec![0_u8; length];
    // SAFETY: the pointer and the length belong to one vector.
    let read = unsafe { libc::pread(fd, bytes.as_mut_ptr().cast(), length, offset) };
    bytes.truncate(usize::try_from(read).unwrap_or(0));
    bytes
}

/// The position at which `write` writes.
pub(crate) fn position(fd: c_int) -> i64 {
    // SAFETY: the calls take no pointers.
    unsafe {
        let appends = libc::fcntl(fd, libc::F_GETFL) & libc::O_APPEND != 0;
        if appends {
            return status(fd).map_or(0, |status| status.length);
        }
        libc::lseek(fd, 0, libc::SEEK_CUR)
    }
}

pub(crate) fn status(fd: c_int) -> Option<FileStatus> {
    let mut status = std::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the call fills the value if it succeeds, and the value is only read then.
    let status = unsafe {
        if libc::fstat(fd, status.as_mut_ptr()) != 0 {
            return None;
        }
        status.assume_init()
    };
    Some(FileStatus {
        device: status.st_dev,
        inode: status.st_ino,
        length: status.st_size,
        is_folder: status.st_mode & libc::S_IFMT == libc::S_IFDIR,
    })
}

pub(crate) fn exists(folder: c_int, path: &CStr) -> bool {
    // SAFETY: the path ends with a zero byte.
    unsafe { libc::faccessat(folder, path.as_ptr(), libc::F_OK, 0) == 0 }
}

/// The path without symbolic links; the same path if it does not exist.
pub(crate) fn canonical(path: &CStr) -> Vec<u8> {
    // SAFETY: with a null pointer, the function allocates the result, which is copied and freed here.
    unsafe {
        let resolved = libc::realpath(path.as_ptr(), std::ptr::null_mut());
        if resolved.is_null() {
            return path.to_bytes().to_vec();
        }
        let bytes = CStr::from_ptr(resolved).to_bytes().to_vec();
        libc::free(resolved.cast());
        bytes
    }
}

/// The name under which the system shows an open file. The kernel resolves it to that file.
pub(crate) fn link_of(fd: c_int) -> [u8; LINK_BYTES] {
    let mut link = [0; LINK_BYTES];
    // It fits, and the rest stays zero.
    let _ = write!(&mut link[..LINK_BYTES - 1], "/proc/self/fd/{fd}");
    link
}

/// Passes the path of an open file to `use_path`. It does not allocate, because a signal handler may write to a pipe.
pub(crate) fn with_path_of<T>(fd: c_int, use_path: impl FnOnce(&[u8]) -> Option<T>) -> Option<T> {
    let link = link_of(fd);
    let mut path = [0_u8; PATH_BYTES];
    // SAFETY: the link ends with a zero byte, and the pointer and the length belong to one array.
    let length = unsafe { libc::readlink(link.as_ptr().cast(), path.as_mut_ptr().cast(), path.len()) };
    use_path(path.get(..usize::try_from(length).ok()?)?)
}
