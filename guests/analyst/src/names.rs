//! How names relate: a pod to its deployment, an entity to the words of a question.

/// Whether two names mean the same thing or a part of it: equal, or one begins or ends with the other at a separator.
pub(crate) fn related(a: &str, b: &str) -> bool {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let (long, short) = if a.len() >= b.len() { (&a, &b) } else { (&b, &a) };
    if short.len() < 3 {
        return long == short;
    }
    let at_start = long.strip_prefix(short.as_str()).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    let at_end = long.strip_suffix(short.as_str()).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
    at_start || at_end
}

/// The letters and digits that Kubernetes makes suffixes of: none that could form a word.
const SUFFIX_ALPHABET: &str = "bcdfghjklmnpqrstvwxz2456789";

/// The workload that a pod's name was made from: without the hashes of its replica set, or the index of a stateful set.
pub(crate) fn workload(pod: &str) -> &str {
    let Some((rest, last)) = pod.rsplit_once('-') else { return pod };
    let is_index = !last.is_empty() && last.len() <= 2 && last.chars().all(|c| c.is_ascii_digit());
    if is_index {
        return rest;
    }
    let hash = rest.rsplit_once('-').filter(|(_, hash)| {
        (7..=10).contains(&hash.len())
            && hash.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            && hash.chars().any(|c| c.is_ascii_digit())
    });
    let is_suffix = last.len() == 5 && last.chars().all(|c| SUFFIX_ALPHABET.contains(c));
    match hash {
        Some((workload, _)) => workload,
        None if is_suffix => rest,
        None => pod,
    }
}

/// How many letters the longest piece of a name has that also occurs in a text, both without case and separators.
pub(crate) fn common_part(name: &str, text: &str) -> usize {
    let plain = |text: &str| text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
    let (name, text) = (plain(name), plain(text));
    let mut longest = 0;
    for start in 0..name.len() {
        while name.get(start..start + longest + 1).is_some_and(|piece| text.contains(piece)) {
            longest += 1;
        }
    }
    longest
}

/// Whether a word looks like a name of something rather than a word of a sentence.
pub(crate) fn is_identifier(word: &str) -> bool {
    let inner = word.get(1..).unwrap_or_default();
    word.len() >= 3
        && word.starts_with(char::is_alphanumeric)
        && (word.contains(['-', '_', '.', '/', ':'])
            || inner.chars().any(|c| c.is_ascii_uppercase() || c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn related_names() {
        for (a, b, expected) in [
            ("cart", "cart", true),
            ("cart", "cart-7d9f8c6b5-x2x4z", true),
            ("Cart", "cart_AWS::Lambda", true),
            ("shop/cart", "cart", true),
            ("cart", "cartographer", false),
            ("db", "db-1", false),
            ("cart-a", "cart-b", false),
        ] {
            assert_eq!(related(a, b), expected, "{a} {b}");
        }
    }

    #[test]
    fn a_pod_belongs_to_a_workload() {
        for (pod, expected) in [
            ("web-7d9f8c6b5-x2x4z", "web"),
            ("web-api-76897854c-cw5wh", "web-api"),
            ("import-job-mdr44", "import-job"),
            ("kafka-0", "kafka"),
            ("web-9c1d2e3f4-late1", "web"),
            ("frontend-service", "frontend-service"),
            ("client", "client"),
            ("import-job-srxlw", "import-job"),
            ("shop-redis", "shop-redis"),
        ] {
            assert_eq!(workload(pod), expected);
        }
    }

    #[test]
    fn parts_in_common() {
        assert_eq!(common_part("cartupdater_AWS::Lambda", "deploy of cart_updater/index.js"), 11);
        assert_eq!(common_part("web", "zzz"), 0);
        assert!(
            is_identifier("web-1") && is_identifier("WebShop") && !is_identifier("What") && !is_identifier("latency")
        );
    }
}
