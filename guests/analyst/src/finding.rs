//! One sign of something wrong, or of something that went well again, with the quotes that show it.

use crate::evidence::Quote;
use crate::knowledge::Kind;
use crate::time::Millis;

#[derive(Debug, Clone)]
pub(crate) struct Finding {
    pub(crate) kind: Kind,
    /// Who shows it.
    pub(crate) entity: String,
    /// What is implicated: an image, a host, a statement.
    pub(crate) object: Option<String>,
    pub(crate) source: Source,
    pub(crate) state: State,
    /// How telling it is by itself, 0 to 1.
    pub(crate) strength: f64,
    /// When it was last seen.
    pub(crate) time: Option<Millis>,
    /// What was seen, in words that the quotes hold.
    pub(crate) text: String,
    pub(crate) quotes: Vec<Quote>,
}

/// What sort of evidence shows it. Two sorts that agree are worth more than one twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Source {
    Status,
    Event,
    Log,
    Trace,
    Metric,
    Change,
    Load,
    Alert,
    Document,
    /// Who calls whom: where to look, never what is wrong.
    Graph,
}

impl Source {
    /// Whether one such quote says by itself what is wrong.
    pub(crate) const fn is_direct(self) -> bool {
        matches!(self, Self::Status | Self::Event | Self::Log)
    }

    /// Whether it counts when two sorts of evidence agree.
    pub(crate) const fn counts(self) -> bool {
        match self {
            Self::Status | Self::Event | Self::Log | Self::Trace | Self::Metric | Self::Change | Self::Load => true,
            Self::Alert | Self::Document | Self::Graph => false,
        }
    }

    /// How a claim introduces it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Status => "Status of",
            Self::Event => "Event on",
            Self::Log => "Log of",
            Self::Trace => "Traces of",
            Self::Metric => "Metric of",
            Self::Change => "Change on",
            Self::Load => "Performance Insights of",
            Self::Alert => "Alert on",
            Self::Document => "Document on",
            Self::Graph => "Calls of",
        }
    }
}

/// Whether it matters now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Active,
    /// It was so around the alert, and is over.
    Recovered,
    /// It was so long before the alert.
    Past,
}

/// A sign that something is well.
#[derive(Debug, Clone)]
pub(crate) struct Health {
    pub(crate) entity: String,
    pub(crate) text: String,
    /// Whether it tells of an end of trouble, not of plain health.
    pub(crate) is_recovery: bool,
    pub(crate) time: Option<Millis>,
    pub(crate) quotes: Vec<Quote>,
}
