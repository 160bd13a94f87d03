//! `topology.json` and the tool `get_topology`.

use super::answer::{self, Answer};
use super::describe;
use super::error::{BundleError, CallError, Place};
use super::files::{self, Folder};
use portcullis_core::document::Tool;
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use std::collections::BTreeSet;

pub(super) const TOOL: &str = "get_topology";

/// Who calls whom; empty when the file is absent.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Topology {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Node {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
}

/// `from` calls `to`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Edge {
    from: String,
    to: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Query {
    entity: Option<String>,
}

impl Topology {
    pub(super) fn load(folder: &Folder) -> Result<Self, BundleError> {
        let path = folder.join("topology.json");
        let Some(text) = folder.read(&path, files::FILE_LIMIT)? else { return Ok(Self::default()) };
        let topology: Self = files::document(&path, &text)?;
        let known = topology.ids();
        for end in topology.edges.iter().flat_map(|edge| [&edge.from, &edge.to]) {
            if !known.contains(end.as_str()) {
                let place = Place { line: None, field: Some("edges") };
                return Err(BundleError::new(
                    &path,
                    place,
                    format!("names `{end}`, which is no node"),
                    "list it in `nodes`",
                ));
            }
        }
        Ok(topology)
    }

    fn ids(&self) -> BTreeSet<&str> {
        self.nodes.iter().map(|node| node.id.as_str()).collect()
    }

    pub(super) fn tool(&self) -> Tool {
        let ids = self.ids();
        let held = if ids.is_empty() {
            "There is no data.".to_owned()
        } else {
            format!("There are {} calls between {}.", self.edges.len(), describe::names("entities", &ids))
        };
        let mut properties = Map::new();
        properties.insert("entity".into(), describe::property_of("Only its callers and what it calls.", &ids));
        describe::tool(TOOL, format!("The call graph: an edge's `from` calls its `to`. {held}"), &properties)
    }

    pub(super) fn call(&self, arguments: &str) -> Result<Answer, CallError> {
        let query: Query = answer::arguments(arguments)?;
        let wanted =
            |edge: &&Edge| query.entity.as_ref().is_none_or(|entity| edge.from == *entity || edge.to == *entity);
        let edges: Vec<&Edge> = self.edges.iter().filter(wanted).collect();
        let near: BTreeSet<&str> = edges.iter().flat_map(|edge| [edge.from.as_str(), edge.to.as_str()]).collect();
        let nodes: Vec<&Node> = self
            .nodes
            .iter()
            .filter(|node| match &query.entity {
                None => true,
                Some(entity) => node.id == *entity || near.contains(node.id.as_str()),
            })
            .collect();
        Ok(if nodes.is_empty() {
            Answer::no_data(if self.nodes.is_empty() { "the bundle has no topology" } else { "no such entity" })
        } else {
            Answer::ok(&json!({ "nodes": nodes, "edges": edges }))
        })
    }
}
