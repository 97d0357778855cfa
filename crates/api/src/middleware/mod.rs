//! Steps that run before and after every handler.

pub(crate) mod access_log;
pub(crate) mod authenticate;
