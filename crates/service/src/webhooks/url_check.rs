//! Refuses a webhook URL with an address that deliveries are never sent to, when the URL is given. A host name is checked
//! whenever a delivery connects.

use auris_domain::error::{ApiError, ErrorCode};
use reqwest::Url;

use super::guard::{Forbidden, Guard, literal_address};
use crate::Service;

impl Service {
    /// `param` is the field of the request that has the URL.
    pub(crate) fn check_webhook_url(&self, param: &str, url: &str) -> Result<(), ApiError> {
        let guard = Guard::new(self.settings().webhooks.allowed_networks.clone());
        // The request was checked, so the URL can be parsed.
        let address = Url::parse(url).ok().as_ref().and_then(literal_address);
        match address.map_or(Ok(()), |address| guard.check(address)) {
            Ok(()) => Ok(()),
            Err(Forbidden { address, range }) => {
                let message = format!(
                    "`{param}` has the address {address} ({range}), which webhooks are not sent to; use a public address. The operator of this service can allow it with `webhooks.allowed_networks`."
                );
                Err(ApiError::new(ErrorCode::InvalidWebhookUrl, message).at(param))
            }
        }
    }
}
