//! The words of `auris keys`.

use clap::{Subcommand, ValueEnum};

use super::Shape;

#[derive(Subcommand)]
pub(crate) enum Keys {
    /// Make a key and print it, once and alone, on standard output
    #[command(after_help = "Example:\n  export AURIS_KEY=$(auris keys create --name laptop --expires 90d)")]
    Create {
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// What the key is for
        #[arg(long, default_value = "", value_name = "TEXT")]
        name: String,
        /// What the key may do
        #[arg(long, value_delimiter = ',', default_value = "read,write")]
        scopes: Vec<ScopeName>,
        /// When it stops working: 12h, 90d, 4w
        #[arg(long, value_name = "TIME")]
        expires: Option<String>,
        /// The record and the key as JSON
        #[arg(long)]
        json: bool,
    },
    /// List the keys of a project; the keys themselves are not stored
    #[command(after_help = "Example:\n  auris keys list --project support --csv")]
    List {
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        #[command(flatten)]
        shape: Shape,
    },
    /// Revoke a key; it stops working at once, within five seconds on every node
    #[command(after_help = "Example:\n  auris keys revoke key_0mhzw1v7u3k9d2qpx4ab")]
    Revoke {
        id: String,
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        #[arg(long)]
        json: bool,
    },
    /// Make a new key in the place of an old one, which goes on working for a while
    ///
    /// The new key has the old one's name and scopes and, where the old one had an end, as long a life. It is printed
    /// once and alone on standard output.
    #[command(
        after_help = "Examples:\n  auris keys rotate key_0mhzw1v7u3k9d2qpx4ab --grace 24h\n  auris keys rotate key_0mhzw1v7u3k9d2qpx4ab --grace 0s"
    )]
    Rotate {
        id: String,
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// How long the old key still works: 30m, 24h, 7d; 0s ends it now
        #[arg(long, default_value = "24h", value_name = "TIME")]
        grace: String,
        /// The new record and the key as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ScopeName {
    Read,
    Write,
}
