//! Which addresses webhooks may be sent to: public ones, and those that the operator allows.
//!
//! Callers choose the URLs of webhooks. Without this check they could use the service to reach machines in its private
//! network. IPv6 addresses are refused unless they are known to be public, because most of the space is unassigned.
//!
//! Written by hand: no maintained crate covers these ranges, and the standard library's methods are unstable.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use reqwest::Url;

/// IPv4 ranges without public receivers, and what each is for.
const FORBIDDEN_V4: [(Ipv4Net, &str); 17] = [
    (v4([0, 0, 0, 0], 8), "this network"),
    (v4([10, 0, 0, 0], 8), "private"),
    (v4([100, 64, 0, 0], 10), "shared by a carrier"),
    (v4([127, 0, 0, 0], 8), "loopback"),
    (v4([168, 63, 129, 16], 32), "a cloud's metadata"),
    (v4([169, 254, 0, 0], 16), "link-local and metadata"),
    (v4([172, 16, 0, 0], 12), "private"),
    (v4([192, 0, 0, 0], 24), "for protocols"),
    (v4([192, 0, 2, 0], 24), "for documentation"),
    (v4([192, 88, 99, 0], 24), "a 6to4 relay"),
    (v4([192, 168, 0, 0], 16), "private"),
    (v4([198, 18, 0, 0], 15), "for benchmarks"),
    (v4([198, 51, 100, 0], 24), "for documentation"),
    (v4([203, 0, 113, 0], 24), "for documentation"),
    (v4([224, 0, 0, 0], 4), "multicast"),
    (v4([240, 0, 0, 0], 4), "reserved"),
    (v4([255, 255, 255, 255], 32), "broadcast"),
];

/// Global unicast ranges of IPv6 without public receivers.
const FORBIDDEN_V6: [(Ipv6Net, &str); 5] = [
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), "for protocols, Teredo among them"),
    (v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), "for documentation"),
    (v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), "6to4"),
    (v6([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16), "returned to the registry"),
    (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), "for documentation"),
];

const GLOBAL_UNICAST: Ipv6Net = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);
/// Addresses whose last 32 bits are an IPv4 address that a gateway connects to.
const NAT64: Ipv6Net = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

const fn v4(octets: [u8; 4], prefix: u8) -> Ipv4Net {
    Ipv4Net::new_assert(Ipv4Addr::from_octets(octets), prefix)
}

const fn v6(segments: [u16; 8], prefix: u8) -> Ipv6Net {
    let [a, b, c, d, e, f, g, h] = segments;
    Ipv6Net::new_assert(Ipv6Addr::new(a, b, c, d, e, f, g, h), prefix)
}

/// Decides which addresses are allowed. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Guard {
    allowed: Arc<[IpNet]>,
}

/// A forbidden address, and the range that it is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forbidden {
    pub address: IpAddr,
    pub range: &'static str,
}

impl fmt::Display for Forbidden {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { address, range } = self;
        write!(
            formatter,
            "the address {address} is refused ({range}); webhooks.allowed_networks can allow it"
        )
    }
}

impl std::error::Error for Forbidden {}

impl Guard {
    pub fn new(allowed: Vec<IpNet>) -> Self {
        Self { allowed: allowed.into() }
    }

    /// Refuses an address that is neither public nor allowed by the operator.
    pub fn check(&self, address: IpAddr) -> Result<(), Forbidden> {
        // A mapped address is connected to as the IPv4 address that it contains.
        let dialled = address.to_canonical();
        if self.allowed.iter().any(|network| network.contains(&dialled)) {
            return Ok(());
        }
        match forbidden(dialled) {
            None => Ok(()),
            Some(range) => Err(Forbidden { address: dialled, range }),
        }
    }
}

/// The IP address that a URL has as its host, in whatever notation it was written. `None` if the host is a name.
pub(crate) fn literal_address(url: &Url) -> Option<IpAddr> {
    // An IPv6 address is in brackets.
    url.host_str()?.trim_start_matches('[').trim_end_matches(']').parse().ok()
}

fn forbidden(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => forbidden_v4(address),
        IpAddr::V6(address) => forbidden_v6(address),
    }
}

fn forbidden_v4(address: Ipv4Addr) -> Option<&'static str> {
    FORBIDDEN_V4.iter().find(|(network, _)| network.contains(&address)).map(|(_, range)| *range)
}

fn forbidden_v6(address: Ipv6Addr) -> Option<&'static str> {
    if NAT64.contains(&address) {
        return forbidden_v4(last_bits(address));
    }
    if !GLOBAL_UNICAST.contains(&address) {
        return Some(kind_of(address));
    }
    let special = FORBIDDEN_V6.iter().find(|(network, _)| network.contains(&address));
    special.map(|(_, range)| *range).or_else(|| forbidden_isatap(address))
}

/// ISATAP addresses tunnel to the IPv4 address in their last bits (RFC 5214), under any prefix.
fn forbidden_isatap(address: Ipv6Addr) -> Option<&'static str> {
    let [.., high, low, _, _] = address.segments();
    let tunnels = matches!(high, 0 | 0x200) && low == 0x5efe;
    if tunnels { forbidden_v4(last_bits(address)) } else { None }
}

fn last_bits(address: Ipv6Addr) -> Ipv4Addr {
    let [.., a, b, c, d] = address.octets();
    Ipv4Addr::new(a, b, c, d)
}

fn kind_of(address: Ipv6Addr) -> &'static str {
    if address.is_loopback() {
        "loopback"
    } else if address.is_unspecified() {
        "unspecified"
    } else if address.is_multicast() {
        "multicast"
    } else if address.is_unicast_link_local() {
        "link-local"
    } else if address.is_unique_local() {
        "private"
    } else {
        "not public"
    }
}

/// Parses a network of the settings: `10.0.0.0/8`, `fd00::/8`, or a single address.
pub fn parse_network(text: &str) -> Option<IpNet> {
    let network = text.parse::<IpNet>().ok();
    network.or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from)).map(|network| network.trunc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(guard: &Guard, address: &str) -> bool {
        guard.check(address.parse().unwrap()).is_ok()
    }

    #[test]
    fn public_addresses_are_allowed() {
        let guard = Guard::default();
        for address in [
            "1.1.1.1",
            "8.8.8.8",
            "172.15.255.255",
            "172.32.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "192.167.255.255",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "168.63.129.15",
            "2606:4700:4700::1111",
            "2a00:1450:4001::200e",
            "2001:4860:4860::8888",
            "2003::1",
            "64:ff9b::808:808",
            "::ffff:8.8.8.8",
        ] {
            assert!(check(&guard, address), "{address}");
        }
    }

    #[test]
    fn a_network_of_the_settings_is_allowed_and_its_neighbors_are_not() {
        let networks = ["10.1.0.0/16", "fd12::/16", "127.0.0.1"];
        let guard = Guard::new(networks.iter().map(|text| parse_network(text).unwrap()).collect());
        for address in ["10.1.2.3", "::ffff:10.1.2.3", "fd12:3::4", "127.0.0.1"] {
            assert!(check(&guard, address), "{address}");
        }
        for address in ["10.2.0.1", "fd13::1", "127.0.0.2", "::1", "169.254.169.254", "64:ff9b::a01:203"] {
            assert!(!check(&guard, address), "{address}");
        }
    }

    #[test]
    fn networks_are_ranges_or_addresses() {
        assert_eq!(parse_network("10.1.2.3/8").unwrap().to_string(), "10.0.0.0/8");
        assert_eq!(parse_network("::1").unwrap().to_string(), "::1/128");
        for text in ["", "10.0.0.0/33", "intranet", "10.0.0", "10.0.0.0-10.0.0.9"] {
            assert!(parse_network(text).is_none(), "{text}");
        }
    }
}
