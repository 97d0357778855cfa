//! Decodes formats that the built-in decoder cannot read with an installed `ffmpeg`: with limited resources, without network
//! access, and with one given demuxer.

use std::io::{BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;

use super::samples::{SAMPLE_RATE, sanitized};
use crate::EngineError;

/// Limits the address space (KiB) and the CPU time (seconds) that a malicious file can use.
const LIMITS: &str = "ulimit -v 4194304; ulimit -t 1800; exec ffmpeg \"$@\"";
const READ_BYTES: usize = 64 * 1024;

/// Whether `ffmpeg` is installed; checked once.
pub(super) fn available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        let probe =
            Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        probe.is_ok_and(|status| status.success())
    })
}

/// A running conversion to 16 kHz mono.
pub(super) struct Ffmpeg {
    child: Child,
    output: BufReader<ChildStdout>,
    carry: Vec<u8>,
}

impl Ffmpeg {
    /// Starts the conversion of `path`. Only the given demuxer is used.
    pub(super) fn open(path: &Path, demuxer: &str, max_seconds: f64) -> Result<Self, EngineError> {
        let mut input = std::ffi::OsString::from("file:");
        input.push(path);
        let mut child = Command::new("sh")
            .args(["-c", LIMITS, "ffmpeg", "-nostdin", "-v", "fatal", "-threads", "1"])
            .args(["-protocol_whitelist", "file,pipe", "-f", demuxer, "-i"])
            .arg(input)
            .args(["-map", "0:a:0", "-vn", "-sn", "-dn", "-ac", "1", "-ar", &SAMPLE_RATE.to_string()])
            // Slightly above the limit, so that a recording over the limit is noticed.
            .args(["-t", &(max_seconds + 1.0).to_string(), "-f", "f32le", "pipe:1"])
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(EngineError::internal)?;
        let output = child.stdout.take().ok_or_else(|| EngineError::internal("ffmpeg has no output"))?;
        Ok(Self { child, output: BufReader::new(output), carry: Vec::new() })
    }

    /// Appends the next samples; `false` at the end.
    pub(super) fn pull(&mut self, block: &mut Vec<f32>) -> Result<bool, EngineError> {
        let mut bytes = vec![0; READ_BYTES];
        let read = self.output.read(&mut bytes).map_err(EngineError::internal)?;
        self.carry.extend_from_slice(&bytes[..read]);
        let whole = self.carry.len() / 4 * 4;
        let samples = self.carry[..whole]
            .chunks_exact(4)
            .map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        block.extend(samples.map(sanitized));
        self.carry.drain(..whole);
        Ok(read > 0)
    }

    /// Why there are no samples.
    pub(super) fn no_samples_error(&mut self, name: &str) -> EngineError {
        let mut stderr_text = String::new();
        if let Some(stderr) = &mut self.child.stderr {
            // Only one known message matters; output that is not UTF-8 does not contain it.
            let _ = stderr.take(64 * 1024).read_to_string(&mut stderr_text);
        }
        if stderr_text.contains("matches no streams") {
            return EngineError::no_audio();
        }
        EngineError::unsupported(format!("The {name} audio cannot be decoded; the file may be damaged."))
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        // If it has already ended, both calls fail and nothing is left to do.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
