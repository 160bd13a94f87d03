//! What a seasoned on-call engineer knows of failing systems, as tables. Nothing here knows a tool or an incident.

pub(crate) mod alerts;
pub(crate) mod kinds;
pub(crate) mod meaning;
pub(crate) mod objects;
pub(crate) mod signs;

pub(crate) use kinds::{Kind, Rank};
pub(crate) use meaning::{Meaning, Worse};
