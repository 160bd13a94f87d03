//! How large a text and the parts of a document may be. The JSON Schemas carry the same numbers; a test compares them.
//!
//! Lengths in `CHARS` are counted in Unicode code points, as JSON Schema does.

/// The whole text of an agent.
pub const TEXT_BYTES_MAX: usize = 1024 * 1024;
/// How deep arrays and objects may nest; the document itself is 1.
pub const DEPTH_MAX: usize = 64;

/// Step ids and claim ids.
pub const ID_CHARS_MAX: usize = 64;
/// Tool names and invocation ids: minted elsewhere, so any text that is not blank.
pub const NAME_CHARS_MAX: usize = 128;
pub const PATH_CHARS_MAX: usize = 1_024;
/// `matched_text`: long enough for an object that is quoted whole.
pub const QUOTE_CHARS_MAX: usize = 16_384;
pub const HEADLINE_CHARS_MAX: usize = 400;
/// Every other text: goals, claims, facts, reasons, list items.
pub const SENTENCE_CHARS_MAX: usize = 4_000;

pub const STEPS_MIN: usize = 1;
pub const STEPS_MAX: usize = 12;
pub const CLAIMS_MAX: usize = 40;
pub const BINDINGS_MAX: usize = 8;
pub const FACTS_MAX: usize = 80;
/// Every list of plain sentences.
pub const SENTENCES_MAX: usize = 40;
