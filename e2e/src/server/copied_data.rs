//! Servers on copies of one server's data, so that many tests can begin with the same state.

use std::fs;
use std::path::Path;

use super::Server;
use super::blobs::Blobs;

impl Server {
    /// A server that is not started, on a copy of this server's data. This one must be stopped, and its database and its
    /// blobs must be in the data folder.
    pub fn unstarted_copy(&self) -> Self {
        assert!(self.child.is_none(), "the files of a running server change");
        assert!(
            self.database.url().is_none() && matches!(self.blobs, Blobs::Folder),
            "data outside of the folder"
        );
        let database = std::sync::Arc::clone(&self.database);
        let copy = self.options.clone().prepare_on(database, self.blobs.clone());
        copy_folder(&self.data(), &copy.data());
        let keys = self.issued_keys.lock().expect("no holder panics").clone();
        *copy.issued_keys.lock().expect("no holder panics") = keys;
        copy
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir(to).expect("the temporary folder is writable");
    for entry in fs::read_dir(from).expect("a folder that exists").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_folder(&entry.path(), &target),
            false => {
                fs::copy(entry.path(), target).expect("the temporary folder is writable");
            }
        }
    }
}
