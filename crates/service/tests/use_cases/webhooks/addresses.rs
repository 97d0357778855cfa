//! Webhook URLs cannot reach internal networks, in whatever notation the address is written.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use auris_service::webhooks::client::{ClientSettings, GuardedClient, Names, SignedRequest};
use auris_service::webhooks::guard::Guard;
use auris_store::DeliveryStatus;

use super::receiver::{Receiver, ReceiverBehavior};
use crate::test_service::{TestService, TestSettings, names};

/// Forbidden IP addresses in every notation that a URL parser accepts, grouped by range.
const FORBIDDEN: &[&str] = &[
    // Loopback.
    "http://127.0.0.1/",
    "https://127.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.255.255.254/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0x7f.1/",
    "http://017700000001/",
    "http://0177.0.0.1/",
    "http://0177.0x0.0.1/",
    "http://127.0.0.1./",
    "http://127.0.0.1:80/",
    "http://%31%32%37.0.0.1/",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://①②⑦.0.0.1/",
    // Unspecified, private, carrier, link-local, metadata.
    "http://0/",
    "http://0.0.0.0/",
    "http://0x0/",
    "http://10.0.0.1/",
    "http://10.1/",
    "http://167772161/",
    "http://0xa000001/",
    "http://012.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://192.168.257/",
    "http://3232235777/",
    "http://100.64.0.1/",
    "http://100.127.255.255/",
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/",
    "http://169.254.170.2/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    // Documentation, benchmarks, relays, multicast, reserved, broadcast.
    "http://192.0.2.1/",
    "http://198.51.100.7/",
    "http://203.0.113.9/",
    "http://198.18.0.1/",
    "http://192.88.99.1/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://4294967295/",
    // IPv6 ranges.
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[0000::0001]/",
    "http://[::]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[fd12:3456:789a::1]/",
    "http://[ff02::1]/",
    "http://[ff0e::1]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[3ffe::1]/",
    "http://[100::1]/",
    "http://[5f00::1]/",
    "http://[4000::1]/",
    // IPv4 inside IPv6: mapped, compatible, translated, 6to4, Teredo, NAT64, ISATAP.
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[0:0:0:0:0:ffff:7f00:0001]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[::127.0.0.1]/",
    "http://[::7f00:1]/",
    "http://[::a9fe:a9fe]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[2002:7f00:1::1]/",
    "http://[2002:a9fe:a9fe::1]/",
    "http://[2002:c0a8:101::1]/",
    "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
    "http://[2001:0:7f00:1::]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://[64:ff9b::10.1.2.3]/",
    "http://[64:ff9b:1::7f00:1]/",
    "http://[2a00:1450::5efe:127.0.0.1]/",
    "http://[2a00:1450::200:5efe:10.0.0.1]/",
    "http://[fe80::5efe:192.168.1.1]/",
];

fn client(names: Names) -> GuardedClient {
    let timeout = Duration::from_secs(20);
    let settings = ClientSettings {
        guard: Guard::default(),
        names,
        extra_certificates: None,
        connect_timeout: timeout,
        timeout,
    };
    GuardedClient::new(settings).unwrap()
}

fn request(url: &str) -> SignedRequest {
    SignedRequest {
        url: url.into(),
        id: "evt_1".into(),
        timestamp: 1,
        signature: "v1,x".into(),
        body: "{}".into(),
    }
}

/// A resolver that finds no addresses, so that no connection can be made by mistake.
fn no_addresses(_: &str) -> Vec<IpAddr> {
    vec![]
}

#[tokio::test(flavor = "multi_thread")]
async fn every_notation_of_a_forbidden_address_is_refused() {
    let client = client(names(no_addresses));
    for url in FORBIDDEN {
        let refused = client.send(&request(url)).await.unwrap_err().to_string();
        assert!(refused.contains("is refused ("), "{url}: {refused}");
    }
    assert!(FORBIDDEN.len() >= 60);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_resolves_to_a_forbidden_address_is_refused() {
    for address in [
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "fd00::1",
        "fe80::1",
        "2002:7f00:1::1",
        "64:ff9b::7f00:1",
    ] {
        let parsed: IpAddr = address.parse().unwrap();
        let client = client(names(move |_| vec![parsed]));
        for url in ["http://innocent.example/", "https://innocent.example/", "http://localhost/"] {
            let refused = client.send(&request(url)).await.unwrap_err().to_string();
            assert!(refused.contains("is refused ("), "{address} {url}: {refused}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn localhost_is_refused() {
    let client = client(Names::System);
    for url in ["http://localhost/", "http://LOCALHOST/", "https://localhost:8443/"] {
        let refused = client.send(&request(url)).await.unwrap_err().to_string();
        assert!(refused.contains("is refused (loopback)"), "{url}: {refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_schemes_are_refused() {
    let client = client(names(no_addresses));
    for url in
        ["ftp://example.com/", "file:///etc/passwd", "gopher://127.0.0.1/", "unix:/run/x", "no address"]
    {
        assert!(client.send(&request(url)).await.is_err(), "{url}");
    }
}

/// The guard checks the addresses that the connection uses: a later DNS answer does not affect an open connection, and
/// each new connection is checked again.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_whose_answer_changes_is_checked_at_each_connection() {
    let inside = Receiver::start_at("127.0.0.2", ReceiverBehavior::status(200)).await;
    // Represents a public server. It closes the connection, so that the next delivery needs a new one.
    let closing = ReceiverBehavior::Answer { status: 200, headers: "connection: close\r\n", body: "" };
    let outside = Receiver::start(closing).await;
    let lookups = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&lookups);
    let changing = names(move |_| {
        let address = if counter.fetch_add(1, Ordering::SeqCst) == 0 { "127.0.0.1" } else { "127.0.0.2" };
        vec![address.parse().unwrap()]
    });
    let test = TestService::with(TestSettings {
        allowed: &["127.0.0.1/32"],
        names: changing,
        ..TestSettings::default()
    })
    .await;
    let url = format!("http://rebind.example:{}/hook", outside.port());
    test.job_ends(Some(&url)).await;
    assert_eq!(test.deliver().await, 1);
    assert_eq!(lookups.load(Ordering::SeqCst), 1, "resolved once");
    assert_eq!(outside.requests().len(), 1);
    let url = format!("http://rebind.example:{}/hook", inside.port());
    test.job_ends(Some(&url)).await;
    assert_eq!(test.deliver().await, 1);
    assert_eq!(lookups.load(Ordering::SeqCst), 2);
    assert_eq!(inside.requests().len(), 0);
    let delivery = test.deliveries().await.into_iter().find(|delivery| delivery.url == url).unwrap();
    assert_eq!(delivery.status, DeliveryStatus::Pending);
    let error = test.attempts(&delivery.id).await[0].error.clone().unwrap();
    assert!(error.contains("127.0.0.2 is refused (loopback)"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_addresses_only_the_permitted_one_is_used() {
    let (inside, outside) = (
        Receiver::start_at("127.0.0.2", ReceiverBehavior::status(200)).await,
        Receiver::start(ReceiverBehavior::status(200)).await,
    );
    let mixed = names(|_| vec!["127.0.0.2".parse().unwrap(), "127.0.0.1".parse().unwrap()]);
    let test = TestService::with(TestSettings {
        allowed: &["127.0.0.1/32"],
        names: mixed,
        ..TestSettings::default()
    })
    .await;
    test.job_ends(Some(&format!("http://mixed.example:{}/", outside.port()))).await;
    test.job_ends(Some(&format!("http://mixed.example:{}/", inside.port()))).await;
    test.deliver().await;
    assert_eq!(outside.requests().len(), 1);
    assert_eq!(
        inside.requests().len(),
        0,
        "nothing listens at the permitted address, and the refused address is not tried"
    );
}
