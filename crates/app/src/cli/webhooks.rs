//! Arguments of `auris webhooks`.

use auris_service::operator::DeliveryStatus;
use clap::Subcommand;

use super::named_value::named;

#[derive(Subcommand)]
pub(crate) enum Webhooks {
    /// List the webhook endpoints of a project with their status
    #[command(after_help = "Example:\n  auris webhooks list --json")]
    List {
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List deliveries, newest first, or show one delivery with all its attempts
    #[command(
        after_help = "Examples:\n  auris webhooks deliveries --status failed\n  auris webhooks deliveries dlv_0mhzw1v7u3k9d2qpx4ab"
    )]
    Deliveries {
        /// Show this delivery with its body and attempts
        id: Option<String>,
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Only deliveries with this status
        #[arg(long, value_parser = named::<DeliveryStatus>())]
        status: Option<DeliveryStatus>,
        /// Only deliveries for this job
        #[arg(long, value_name = "ID")]
        job: Option<String>,
        /// Only deliveries to this endpoint
        #[arg(long, value_name = "ID")]
        endpoint: Option<String>,
        /// Maximum number of deliveries to list
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
        limit: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Resend deliveries, whatever their status
    #[command(
        after_help = "Examples:\n  auris webhooks resend dlv_0mhzw1v7u3k9d2qpx4ab\n  auris webhooks resend --failed"
    )]
    Resend {
        /// Deliveries to resend
        #[arg(value_name = "ID", required_unless_present = "failed")]
        ids: Vec<String>,
        /// Resend all failed deliveries except those to disabled endpoints
        #[arg(long, conflicts_with = "ids")]
        failed: bool,
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Send a signed test message and show the response
    ///
    /// A message to a URL is signed with the project's secret, a message to an endpoint with that endpoint's secret.
    #[command(after_help = "Example:\n  auris webhooks test https://example.com/hooks/auris")]
    Test {
        /// URL, or the id of an endpoint
        #[arg(value_name = "URL")]
        target: String,
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the signing secret of a project
    ///
    /// It signs deliveries to the `webhook_url` of a job. Registered endpoints have their own secrets.
    #[command(after_help = "Example:\n  export WEBHOOK_SECRET=$(auris webhooks secret)")]
    Secret {
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
    },
    /// Create a new signing secret and print it
    ///
    /// For one day, deliveries carry signatures of both the new and the old secret. The new secret is shown only
    /// once. Nothing else is written to standard output.
    #[command(
        after_help = "Examples:\n  auris webhooks rotate whk_0mwh1za7e4n9b5v2x8kq\n  auris webhooks rotate --now    # the project's secret, after a leak"
    )]
    Rotate {
        /// Endpoint [default: rotate the project's secret]
        #[arg(value_name = "ID")]
        endpoint: Option<String>,
        /// Stop signing with the old secret immediately
        #[arg(long)]
        now: bool,
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
    },
    /// Enable a disabled endpoint
    #[command(after_help = "Example:\n  auris webhooks enable whk_0mwh1za7e4n9b5v2x8kq")]
    Enable {
        /// Endpoint to enable
        #[arg(value_name = "ID")]
        endpoint: String,
        /// Name of the project
        #[arg(long, default_value = "default", value_name = "NAME")]
        project: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Re-encrypt all stored secrets with the current master key
    ///
    /// If the master key is in the data folder: `--new-key` creates a new key, re-encrypts every secret with it, and
    /// keeps the old key so that a running service is not interrupted. Run `--forget-old` a few minutes later to
    /// remove the old key.
    ///
    /// If the master key is a setting: set the new key as `security.master_key` and the old one as
    /// `security.previous_master_keys`, restart, and run this command without flags.
    #[command(
        after_help = "Examples:\n  auris webhooks reseal --new-key\n  auris webhooks reseal --forget-old"
    )]
    Reseal {
        /// Create a new master key in the data folder first
        #[arg(long, conflicts_with = "forget_old")]
        new_key: bool,
        /// Remove the old master keys from the data folder
        #[arg(long)]
        forget_old: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}
