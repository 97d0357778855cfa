//! Language models in this process: GGUF files, computed on our own kernels.

mod cache;
mod chat;
mod constraint;
mod decoder_block;
mod gguf;
mod model;
mod model_config;
mod net;
mod positions;
mod prefix_cache;
mod prepared_request;
mod sampling;
mod session;
mod template;
#[cfg(test)]
mod tests;
mod threads;
mod tokenizer;
mod utf8_stream;
mod vocabulary;

pub use chat::LocalChat;
