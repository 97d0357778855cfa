//! Translates HTTP requests to service calls and their results to HTTP responses.
//!
//! Every response is built in `error`, `view` or `sse`.

mod body_memory;
mod body_turns;
mod client_address;
mod console;
mod console_files;
mod console_parts;
mod content_disposition;
mod content_type;
mod end_signal;
mod error;
mod extract;
mod handlers;
mod middleware;
mod minimum_rate;
mod multipart;
mod request_body;
mod response_memory;
mod routes;
mod server;
mod sse;
mod state;
mod view;

pub use console_parts::{ConsoleParts, Examine, Setting};
pub use routes::Surface;
pub use server::{ServerSettings, serve};
pub use state::{ApiState, RenderMetrics};

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    /// `server` is left out: it replaces the HTTP library's own error responses, byte by byte.
    const ALLOWED: [&str; 4] = ["error.rs", "view.rs", "sse.rs", "server"];
    const CONSTRUCTORS: [&str; 3] = ["Response::new(", "Response::builder(", ".into_response()"];

    #[test]
    fn responses_are_built_only_in_error_view_and_sse() {
        let source = Path::new("src");
        let files = rust_files(source);
        assert!(files.len() > 20, "{files:?}");
        for file in files {
            let name = file.strip_prefix(source).unwrap();
            if name == Path::new("lib.rs") || ALLOWED.iter().any(|allowed| name.starts_with(allowed)) {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            for constructor in CONSTRUCTORS {
                assert!(!text.contains(constructor), "{} uses `{constructor}`", name.display());
            }
        }
    }

    fn rust_files(folder: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        entries.flat_map(|path| if path.is_dir() { rust_files(&path) } else { vec![path] }).collect()
    }
}
