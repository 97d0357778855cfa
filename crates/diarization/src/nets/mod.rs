//! The two nets of the diarizer, computed with float products. Rows are frames, with the channels side by side.

mod campplus;
mod dense_layer;
mod front_end;
mod graph;
mod norms;
mod plane;
mod pyannote;
mod sinc_filters;
mod sincnet;

pub(crate) use campplus::Campplus;
pub(crate) use pyannote::Pyannote;
