//! Files and folders on this machine: who can read them, and how much space they have.

pub mod disk;
pub mod private_files;
