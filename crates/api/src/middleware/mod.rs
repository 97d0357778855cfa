//! What happens around every request.

pub(crate) mod gate;
pub(crate) mod request;
