//! The functions of the C library that this library takes the place of.

use std::ffi::{CStr, c_void};
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::system_calls;

/// The function of that name in the C library, with the type that the library documents. It is looked up once.
macro_rules! c_function {
    ($name:literal, $function:ty) => {{
        static FOUND: std::sync::atomic::AtomicPtr<std::ffi::c_void> =
            std::sync::atomic::AtomicPtr::new(std::ptr::null_mut());
        let address = $crate::c_library::find(&FOUND, $name);
        // SAFETY: the address is that of the function, and not null.
        unsafe { std::mem::transmute::<*mut std::ffi::c_void, $function>(address) }
    }};
}

pub(crate) use c_function;

pub(crate) fn find(found: &AtomicPtr<c_void>, name: &CStr) -> *mut c_void {
    let known = found.load(Ordering::Acquire);
    if !known.is_null() {
        return known;
    }
    // SAFETY: the name ends with a zero byte.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if address.is_null() {
        system_calls::stop("the C library does not have a function that the fault layer replaces\n");
    }
    found.store(address, Ordering::Release);
    address
}
