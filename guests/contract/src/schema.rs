//! The JSON Schemas (draft 2020-12) of the four documents, for agents that can be told to follow one.

pub const PLAN: &str = include_str!("../schemas/diagnosis_plan_v1.json");
pub const EVIDENCE: &str = include_str!("../schemas/executor_evidence_v2.json");
pub const VERIFICATION: &str = include_str!("../schemas/verification_v1.json");
pub const ANSWER: &str = include_str!("../schemas/composed_answer_v1.json");
