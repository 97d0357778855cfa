//! The words of `auris webhooks`.

use clap::{Subcommand, ValueEnum};

#[derive(Subcommand)]
pub(crate) enum Webhooks {
    /// List the endpoints of a project and how they are
    #[command(after_help = "Example:\n  auris webhooks list --json")]
    List {
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        #[arg(long)]
        json: bool,
    },
    /// List deliveries, newest first, or show one with every attempt
    #[command(
        after_help = "Examples:\n  auris webhooks deliveries --status failed\n  auris webhooks deliveries dlv_0mhzw1v7u3k9d2qpx4ab"
    )]
    Deliveries {
        /// Show this one with its body and its attempts
        id: Option<String>,
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        #[arg(long, value_enum)]
        status: Option<StatusName>,
        /// Only those of this job
        #[arg(long, value_name = "ID")]
        job: Option<String>,
        /// Only those to this endpoint
        #[arg(long, value_name = "ID")]
        endpoint: Option<String>,
        /// How many at most
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        #[arg(long)]
        json: bool,
    },
    /// Send deliveries again, whatever became of them
    #[command(
        after_help = "Examples:\n  auris webhooks resend dlv_0mhzw1v7u3k9d2qpx4ab\n  auris webhooks resend --failed"
    )]
    Resend {
        #[arg(value_name = "ID", required_unless_present = "failed")]
        ids: Vec<String>,
        /// All failed ones whose endpoint is enabled
        #[arg(long, conflicts_with = "ids")]
        failed: bool,
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        #[arg(long)]
        json: bool,
    },
    /// Send a signed message to an address and show what it answers
    ///
    /// To an address it is signed with the project's secret, to an endpoint (by its id) with the endpoint's own.
    #[command(after_help = "Example:\n  auris webhooks test https://example.com/hooks/auris")]
    Test {
        /// An address, or the id of an endpoint
        #[arg(value_name = "URL")]
        target: String,
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        #[arg(long)]
        json: bool,
    },
    /// Print the project's own signing secret and nothing else
    ///
    /// It signs deliveries to the `webhook_url` of single jobs; registered endpoints have secrets of their own.
    #[command(after_help = "Example:\n  export WEBHOOK_SECRET=$(auris webhooks secret)")]
    Secret {
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
    },
    /// Make a new signing secret and print it, once and alone; for a day the old one signs too
    #[command(
        after_help = "Examples:\n  auris webhooks rotate whk_0mwh1za7e4n9b5v2x8kq\n  auris webhooks rotate --now    # the project's own, which somebody else knows"
    )]
    Rotate {
        /// The endpoint; without it, the project's own secret is rotated
        #[arg(value_name = "ID")]
        endpoint: Option<String>,
        /// The old secret signs no more from now on
        #[arg(long)]
        now: bool,
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
    },
    /// Let a disabled endpoint hear of events again
    #[command(after_help = "Example:\n  auris webhooks enable whk_0mwh1za7e4n9b5v2x8kq")]
    Enable {
        #[arg(value_name = "ID")]
        endpoint: String,
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        #[arg(long)]
        json: bool,
    },
    /// Seal every stored secret anew with the master key, after it was changed or with a new one
    ///
    /// With --new-key a new master key is written to the data folder first; the old one stays beside it, so that a running
    /// service goes on. A few minutes later --forget-old removes it. Where the key is a setting, set the new one as
    /// security.master_key and the old one as security.previous_master_keys, restart, and run this without flags.
    #[command(
        after_help = "Examples:\n  auris webhooks reseal --new-key\n  auris webhooks reseal --forget-old"
    )]
    Reseal {
        #[arg(long, conflicts_with = "forget_old")]
        new_key: bool,
        #[arg(long)]
        forget_old: bool,
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatusName {
    Pending,
    Delivered,
    Failed,
}
