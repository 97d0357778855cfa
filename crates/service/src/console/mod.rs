//! What the pages of a recording in the console need besides the API: the recording, its waveform, the names of its
//! speakers and its analyses, one of which can start by itself when the transcription has completed.

mod analyses;
mod download_name;
mod follow_ups;
mod peaks;
mod recording;
mod speaker_names;
mod waveform;

pub(crate) use peaks::WaveformSlots;
