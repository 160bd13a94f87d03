//! The thing that a message implicates: an image, a host, a variable, a resource.

use super::kinds::Kind;

/// A longer object is no name but a sentence.
const LONGEST: usize = 200;

/// How the object of some kinds is found in a text.
type Extract = (&'static [Kind], fn(&str) -> Option<&str>);

const EXTRACTS: &[Extract] = &[
    (&[Kind::ImagePull], image),
    (&[Kind::StorageClass, Kind::MissingConfig, Kind::UnboundVolume], quoted),
    (&[Kind::InsufficientResources], |text| word_after(text, &["nsufficient "])),
    (&[Kind::Dns], host),
    (&[Kind::ConnectionFailure, Kind::DatabaseConnection, Kind::Timeout], address),
    (&[Kind::MissingVariable], |text| upper_case_word(text).or_else(|| quoted(text))),
    (&[Kind::DependencyMissing], |text| word_after(text, &["available for service ", "vailable for "])),
    (&[Kind::NetworkPolicy], |text| {
        word_after(text, &["NetworkPolicy/", "networkpolicy/", "NetworkPolicy ", "network policy "])
    }),
    (&[Kind::LivenessProbe, Kind::ReadinessProbe], |text| after(text, &["probe failed: ", "probe errored: "])),
    (&[Kind::QuotaExceeded], |text| after(text, &["exceeded quota: "])),
    (
        &[
            Kind::SyntaxError,
            Kind::BadConfig,
            Kind::BadCommand,
            Kind::PermissionDenied,
            Kind::LoginFailure,
            Kind::Certificate,
            Kind::DiskFull,
            Kind::AppErrors,
            Kind::ReplicationBroken,
            Kind::VolumeMount,
            Kind::NotFound,
            Kind::RateLimited,
            Kind::SlowOperation,
            Kind::Deploy,
            Kind::ConfigChange,
            Kind::JobStart,
            Kind::Scaling,
            Kind::Maintenance,
            Kind::Failover,
            Kind::InstanceRestart,
        ],
        |text| Some(text),
    ),
];

/// The object of a message of that kind, a piece of the message itself.
pub(crate) fn object(kind: Kind, text: &str) -> Option<&str> {
    let (_, extract) = EXTRACTS.iter().find(|(kinds, _)| kinds.contains(&kind))?;
    extract(text).map(trim).filter(|object| !object.is_empty() && object.len() <= LONGEST)
}

fn trim(text: &str) -> &str {
    text.trim().trim_end_matches(['.', ',', ';', ':', ')']).trim()
}

/// What follows the first marker that occurs.
fn after<'a>(text: &'a str, markers: &[&str]) -> Option<&'a str> {
    markers.iter().find_map(|marker| text.split_once(marker)).map(|(_, rest)| rest)
}

fn word_after<'a>(text: &'a str, markers: &[&str]) -> Option<&'a str> {
    let rest = after(text, markers)?.trim_start_matches(['\'', '"', '`', '\\']);
    rest.split([' ', ',', ';', '\'', '"', '`', '(', ')', '\t', '\\']).next()
}

/// The first quoted word.
fn quoted(text: &str) -> Option<&str> {
    let mut parts = text.split(['"', '\'', '`']);
    parts.next()?;
    parts.next().map(|word| word.trim_end_matches('\\')).filter(|word| !word.contains(' '))
}

fn image(text: &str) -> Option<&str> {
    word_after(
        text,
        &["pull image ", "pulling image ", "pull and unpack image ", "resolve reference ", "Image: ", "image "],
    )
    .filter(|name| name.contains(['/', ':', '.']) || name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
}

/// The host of a failed name lookup.
fn host(text: &str) -> Option<&str> {
    word_after(
        text,
        &[
            "ENOTFOUND ",
            "EAI_AGAIN ",
            "resolve host: ",
            "resolve host ",
            "resolve hostname ",
            "to resolve name ",
            "to resolve ",
            "not resolve ",
            "lookup ",
            "translate host name ",
            "UnknownHostException: ",
            "no such host: ",
            "host=",
            "host ",
        ],
    )
    .map(|name| name.trim_end_matches(':'))
    .filter(|name| name.contains(['.', '-']) || name.chars().all(|c| c.is_ascii_alphanumeric()))
    .filter(|name| !matches!(*name, "failed" | "on" | "of" | "for"))
}

/// A `host:port`, or what is named after the words for a target.
fn address(text: &str) -> Option<&str> {
    let port = |word: &&str| {
        let (host, port) = word.rsplit_once(':').unwrap_or_default();
        let is_clock = host.chars().all(|c| c.is_ascii_digit() || c == ':');
        !is_clock
            && (2..=5).contains(&port.len())
            && port.chars().all(|c| c.is_ascii_digit())
            && host.contains(char::is_alphanumeric)
    };
    text.split([' ', ',', ';', '(', ')', '[', ']', '"', '\'', '\t'])
        .map(|word| word.trim_end_matches(['.', ':']))
        .map(|word| word.rsplit_once("//").map_or(word, |(_, rest)| rest))
        .find(port)
        .or_else(|| word_after(text, &["host='", "connect to server at \"", "upstream "]))
}

/// A word like `DB_HOST`.
fn upper_case_word(text: &str) -> Option<&str> {
    let is_name = |word: &&str| {
        word.len() >= 3
            && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && word.starts_with(|c: char| c.is_ascii_uppercase())
    };
    let mut words: Vec<&str> = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(is_name).collect();
    words.retain(|word| !matches!(*word, "ERROR" | "FATAL" | "WARN" | "WARNING" | "INFO" | "ENV" | "DEBUG" | "PANIC"));
    words.iter().copied().find(|word| word.contains('_')).or(words.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_its_object() {
        for (kind, text, expected) in [
            (Kind::ImagePull, "Back-off pulling image \"shop/web:9.1\"", Some("shop/web:9.1")),
            (Kind::ImagePull, "Failed to pull image \\\"shop/web:9.1\\\": failed", Some("shop/web:9.1")),
            (Kind::ImagePull, "Error: ErrImagePull", None),
            (Kind::StorageClass, "storageclass.storage.k8s.io \"fast-2\" not found", Some("fast-2")),
            (Kind::InsufficientResources, "2 Insufficient nvidia.com/gpu. preemption", Some("nvidia.com/gpu")),
            (Kind::Dns, "getaddrinfo ENOTFOUND db.shop.svc at GetAddrInfo", Some("db.shop.svc")),
            (Kind::Dns, "dial tcp: lookup ledger on 10.0.0.10:53: no such host", Some("ledger")),
            (Kind::Dns, "Failed to resolve 'web.shop' ([Errno -3])", Some("web.shop")),
            (Kind::ConnectionFailure, "connect ECONNREFUSED 10.1.1.1:8080", Some("10.1.1.1:8080")),
            (
                Kind::ConnectionFailure,
                "failed (tried: ledger-db:3306) - no available connection",
                Some("ledger-db:3306"),
            ),
            (Kind::ConnectionFailure, "at 12:30:15 connection refused", None),
            (Kind::MissingVariable, "ERROR Environment variable API_TOKEN is not set", Some("API_TOKEN")),
            (Kind::MissingVariable, "KeyError: 'token'", Some("token")),
            (Kind::DependencyMissing, "No instances available for seat-service", Some("seat-service")),
            (Kind::NetworkPolicy, "└── NetworkPolicy/deny-all   -", Some("deny-all")),
            (Kind::QuotaExceeded, "forbidden: exceeded quota: team, requested: cpu=2", Some("team, requested: cpu=2")),
        ] {
            assert_eq!(object(kind, text), expected, "{kind:?}: {text}");
        }
    }
}
