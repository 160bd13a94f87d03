//! Plain text: `kubectl describe`, `kubectl get`, trees of objects, YAML, and logs.

use super::Readings;
use super::logs;
use crate::evidence::{Observation, Quote, shorten_to};
use crate::finding::{Finding, Source, State};
use crate::knowledge::{Kind, objects, signs};
use crate::sources::source_of;
use crate::subject::Subject;

const LONGEST_TEXT: usize = 260;

/// Words in the STATUS column, and what they mean.
const STATUSES: &[(&str, Option<Kind>)] = &[
    ("Running", None),
    ("Completed", None),
    ("Succeeded", None),
    ("ContainerCreating", None),
    ("Terminating", None),
    ("CrashLoopBackOff", Some(Kind::CrashLoop)),
    ("Error", Some(Kind::ContainerError)),
    ("OOMKilled", Some(Kind::OutOfMemory)),
    ("ImagePullBackOff", Some(Kind::ImagePull)),
    ("ErrImagePull", Some(Kind::ImagePull)),
    ("CreateContainerConfigError", Some(Kind::MissingConfig)),
    ("RunContainerError", Some(Kind::BadCommand)),
    ("Pending", Some(Kind::PodPending)),
    ("Unknown", Some(Kind::PodUnknown)),
    ("Evicted", Some(Kind::Evicted)),
    ("NotReady", Some(Kind::NodeNotReady)),
];

struct Reader<'a> {
    of: usize,
    entity: String,
    source: Source,
    readings: &'a mut Readings,
}

pub(crate) fn read(of: usize, observation: &Observation, text: &str, subject: &Subject, readings: &mut Readings) {
    let named = ["name", "pod_name", "pod", "keyword", "deployment", "service"];
    let argument = named.iter().find_map(|name| observation.argument(name)).filter(|name| *name != "*");
    let named = argument.or(subject.names.first().map(String::as_str)).unwrap_or_default();
    let mut reader = Reader { of, entity: named.to_owned(), source: source_of(&observation.tool), readings };
    if value_of(text, "Name:").is_some() && value_of(text, "Namespace:").is_some() {
        reader.description(text);
    } else if text.trim_start().starts_with("apiVersion:") {
        reader.yaml(text);
    } else if is_table(text) {
        reader.table(text);
    } else {
        logs::read_lines(of, text, &reader.entity, reader.source, reader.readings);
    }
}

impl Reader<'_> {
    fn push(
        &mut self,
        kind: Kind,
        source: Source,
        line: &str,
        object: Option<String>,
        strength: f64,
        more: Option<&str>,
    ) {
        let said = shorten_to(&line.split_whitespace().collect::<Vec<_>>().join(" "), LONGEST_TEXT);
        let mut quotes = vec![Quote::piece(self.of, line)];
        quotes.extend(more.map(|line| Quote::piece(self.of, line)));
        let object = object.or_else(|| objects::object(kind, &said).map(str::to_owned));
        self.readings.findings.push(Finding {
            kind,
            entity: self.entity.clone(),
            object,
            source,
            state: State::Active,
            strength,
            time: None,
            text: said,
            quotes,
        });
    }

    /// `kubectl describe`: reasons, conditions and events; not the commands and images that the object is made of.
    fn description(&mut self, text: &str) {
        if let Some(name) = value_of(text, "Name:") {
            name.clone_into(&mut self.entity);
        }
        let name_line = text.lines().find(|line| line.starts_with("Name:"));
        let selector = value_of(text, "Node-Selectors:").filter(|selector| !selector.starts_with('<'));
        let image = text.lines().map(str::trim).find(|line| line.starts_with("Image:"));
        let mut in_events = false;
        for line in text.lines() {
            let trimmed = line.trim();
            in_events |= line.starts_with("Events:");
            if in_events {
                self.event(trimmed, selector);
            } else if let Some(reason) = trimmed.strip_prefix("Reason:") {
                let kind = signs::classify(reason).or((reason.trim() == "Error").then_some(Kind::ContainerError));
                if let Some(kind) = kind {
                    let object = (kind == Kind::ImagePull).then_some(image).flatten();
                    let name = object.and_then(|image| image.split_whitespace().nth(1)).map(str::to_owned);
                    self.push(kind, Source::Status, trimmed, name, 0.9, object.or(name_line));
                }
            } else if let Some(replicas) = trimmed.strip_prefix("Replicas:") {
                if replicas.contains("unavailable") && !replicas.contains("| 0 unavailable") {
                    self.push(Kind::Unavailable, Source::Status, trimmed, None, 0.8, name_line);
                }
            } else if let Some(status) = line.strip_prefix("Status:") {
                if let Some((_, Some(kind))) = STATUSES.iter().find(|(word, _)| *word == status.trim()) {
                    self.push(*kind, Source::Status, trimmed, None, 0.8, name_line);
                } else if status.trim() == "Failed" {
                    self.push(Kind::ContainerError, Source::Status, trimmed, None, 0.7, name_line);
                }
            } else if is_condition(trimmed) {
                if let Some(kind) = signs::classify(trimmed) {
                    self.push(kind, Source::Status, trimmed, None, 0.7, name_line);
                }
            } else if let Some(failed) = failed_pods(trimmed) {
                self.push(Kind::JobFailed, Source::Status, failed, None, 0.8, name_line);
            }
        }
    }

    /// A row of the events at the end of a description. Normal ones report what went well.
    fn event(&mut self, line: &str, selector: Option<&str>) {
        if !line.starts_with("Warning") {
            return;
        }
        if let Some(kind) = signs::classify(line) {
            let object = (kind == Kind::NodeSelector).then_some(selector).flatten().map(str::to_owned);
            let selector = object.as_deref().map(str::to_owned);
            self.push(kind, Source::Event, line, object, 1.0, selector.as_deref());
        }
    }

    /// Only what the status says: the rest is what somebody wants.
    fn yaml(&mut self, text: &str) {
        for line in text.lines() {
            let trimmed = line.trim().trim_start_matches("- ");
            if trimmed.starts_with("message:") || trimmed.starts_with("reason:") {
                if let Some(kind) = signs::classify(trimmed) {
                    self.push(kind, Source::Status, line, None, 0.7, None);
                }
            }
        }
    }

    /// `kubectl get` and trees: a name, a ratio of ready containers, a status.
    fn table(&mut self, text: &str) {
        let own = std::mem::take(&mut self.entity);
        for line in text.lines() {
            self.row(line, &own);
        }
    }

    fn row(&mut self, line: &str, own: &str) {
        let plain = line.trim_start_matches(|c: char| !c.is_alphanumeric());
        let words: Vec<&str> = plain.split_whitespace().collect();
        if let Some((_, policy)) = plain.split_once("NetworkPolicy/") {
            let name = policy.split_whitespace().next().unwrap_or_default();
            own.clone_into(&mut self.entity);
            self.push(Kind::NetworkPolicy, Source::Status, plain, Some(name.to_owned()), 0.6, None);
            return;
        }
        let Some(ready) = words.iter().position(|word| is_ratio(word)) else {
            self.plain_row(&words, line);
            return;
        };
        let (Some(name), Some(status)) = (ready.checked_sub(1).and_then(|at| words.get(at)), words.get(ready + 1))
        else {
            return;
        };
        let status = status.rsplit_once(':').map_or(*status, |(_, status)| status);
        let known = STATUSES.iter().find(|(word, _)| *word == status);
        let name = name.rsplit_once('/').map_or(*name, |(_, name)| name);
        name.clone_into(&mut self.entity);
        match known {
            Some((_, Some(kind))) => {
                // A list shows the whole namespace: what it says of others is background.
                let piece = words.get(ready - 1..=ready + 1).unwrap_or_default().join(" ");
                self.push(*kind, Source::Status, &piece, None, 0.7, None);
            }
            Some(("Running", None)) if is_full(words.get(ready).copied()) => {
                self.readings.ready.insert(name.to_owned());
            }
            None if words.get(ready).is_some_and(|ratio| !is_full(Some(ratio))) && status.parse::<u32>().is_ok() => {
                // READY, UP-TO-DATE, AVAILABLE: a deployment.
                let piece = words.get(ready - 1..=ready).unwrap_or_default().join(" ");
                self.push(Kind::Unavailable, Source::Status, &piece, None, 0.7, None);
            }
            Some((_, None)) | None => {}
        }
    }

    /// A row without a ratio: a claim, a node, a job.
    fn plain_row(&mut self, words: &[&str], line: &str) {
        let (Some(name), Some(status)) = (words.first(), words.get(1)) else { return };
        let status = status.split(',').next().unwrap_or_default();
        let kind = STATUSES.iter().find(|(word, _)| *word == status).and_then(|(_, kind)| *kind);
        let kind = match (kind, *status == *"Failed", line.contains("pvc") || line.contains("PersistentVolumeClaim")) {
            (_, true, _) => Some(Kind::JobFailed),
            (Some(Kind::PodPending), false, true) => Some(Kind::UnboundVolume),
            (kind, false, _) => kind,
        };
        if let Some(kind) = kind {
            (*name).clone_into(&mut self.entity);
            self.push(kind, Source::Status, &format!("{name} {status}"), None, 0.7, None);
        }
    }
}

/// The rest of the first line that begins so.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key)).map(str::trim)
}

/// `2/3`
fn is_ratio(word: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.len() <= 3 && part.chars().all(|c| c.is_ascii_digit());
    word.split_once('/').is_some_and(|(some, all)| is_number(some) && is_number(all))
}

fn is_full(ratio: Option<&str>) -> bool {
    ratio.and_then(|ratio| ratio.split_once('/')).is_some_and(|(some, all)| some == all)
}

fn is_table(text: &str) -> bool {
    let first = text.trim_start();
    let is_header = (first.starts_with("NAME") || first.starts_with("LAST SEEN")) && first.contains("  ");
    is_header
        || first.lines().next().is_some_and(|line| line.split_whitespace().take(6).any(is_ratio) && line.contains("  "))
}

/// `Available  False  MinimumReplicasUnavailable`
fn is_condition(line: &str) -> bool {
    matches!(line.split_whitespace().nth(1), Some("False" | "Unknown"))
}

/// `Pods Statuses: 0 Active / 0 Succeeded / 5 Failed`
fn failed_pods(line: &str) -> Option<&str> {
    (line.starts_with("Pods Statuses:") && line.ends_with("Failed") && !line.ends_with(" 0 Failed")).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Body;
    use serde_json::{Map, json};

    fn found(tool: &str, name: &str, text: &str) -> Vec<(Kind, String, Option<String>)> {
        let observation = Observation {
            invocation_id: "inv-1".into(),
            tool: tool.into(),
            arguments: Map::from_iter([("name".to_owned(), json!(name))]),
            body: Body::Text(text.into()),
        };
        let mut readings = Readings::default();
        super::super::read(0, &observation, &Subject::default(), &mut readings);
        readings.findings.into_iter().map(|finding| (finding.kind, finding.entity, finding.object)).collect()
    }

    #[test]
    fn a_description_gives_reasons_and_warnings() {
        let text = "Name:             web-1\nNamespace:        shop\nStatus:           Running\nContainers:\n  web:\n    Image:  shop/web:1\n    Args:\n      echo no such host\n    State:          Waiting\n      Reason:       CrashLoopBackOff\n    Last State:     Terminated\n      Reason:       OOMKilled\nNode-Selectors:   disk=ssd\nEvents:\n  Type     Reason            Age  From  Message\n  Normal   Pulled            1s   kubelet  no such host\n  Warning  FailedScheduling  1s   default-scheduler  0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.\n";
        assert_eq!(
            found("kubectl_describe", "x", text),
            [
                (Kind::CrashLoop, "web-1".to_owned(), None),
                (Kind::OutOfMemory, "web-1".to_owned(), None),
                (Kind::NodeSelector, "web-1".to_owned(), Some("disk=ssd".to_owned())),
            ]
        );
    }

    #[test]
    fn tables_of_pods_deployments_claims_and_nodes() {
        for (text, expected) in [
            ("NAME   READY   STATUS\nweb-1  1/1     Running\n", None),
            ("NAME   READY   STATUS\nweb-1  0/1     CrashLoopBackOff\n", Some((Kind::CrashLoop, "web-1"))),
            ("shop   web-1   0/1   Init:Error   0   1m\n", Some((Kind::ContainerError, "web-1"))),
            (
                "NAME   READY   UP-TO-DATE   AVAILABLE\nweb    0/2     2            0\n",
                Some((Kind::Unavailable, "web")),
            ),
            ("NAME     STATUS    VOLUME\nweb-pvc  Pending\n", Some((Kind::UnboundVolume, "web-pvc"))),
            ("NAME  STATUS     ROLES\nn1    NotReady   <none>\n", Some((Kind::NodeNotReady, "n1"))),
            ("NAME       READY  STATUS\nPod/web-1  0/1    Error  3d\n", Some((Kind::ContainerError, "web-1"))),
        ] {
            let expected: Vec<_> = expected.into_iter().map(|(kind, name)| (kind, name.to_owned())).collect();
            let found: Vec<_> = found("get", "x", text).into_iter().map(|(kind, name, _)| (kind, name)).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_tree_shows_network_policies() {
        let text = "NAME                       READY   STATUS\nPod/web                    1/1     Running\n└── NetworkPolicy/deny-all   -\n";
        assert_eq!(
            found("lineage", "web", text),
            [(Kind::NetworkPolicy, "web".to_owned(), Some("deny-all".to_owned()))]
        );
    }

    #[test]
    fn what_somebody_wrote_in_yaml_is_no_fault() {
        let text = "apiVersion: v1\nspec:\n  args: [\"exit with error: connection refused\"]\nstatus:\n  reason: ProgressDeadlineExceeded\n";
        assert_eq!(found("get_yaml", "web", text), [(Kind::RolloutStuck, "web".to_owned(), None)]);
    }
}
