//! Protocol parsers: an agent's text in, a typed document or a violation out. They import nothing.

use crate::bindings::types as wit;
use crate::engine::Engine;
use crate::error::LoadError;
use crate::failure::AttemptFailure;
use crate::limits::Settings;
use crate::plugin::{Export, Plugin, PluginInfo, Source};
use crate::role::Role;
use crate::session::Session;
use crate::state::Outside;
use crate::version::WitVersion;
use portcullis_core::document::{ComposedAnswer, Evidence, Plan, VerificationReport, Violation};
use std::pin::Pin;
use std::sync::Arc;
use wasmtime::component::Lift;

/// What a parser made of a text: the outer result is the host's, the inner one the parser's.
pub type Parsed<Document> = Result<Result<Document, Violation>, AttemptFailure>;

/// A document on its way. It borrows nothing.
pub type Parsing<Document> = Pin<Box<dyn Future<Output = Parsed<Document>> + Send>>;

/// What the four parsers have in common. They differ in their document alone.
struct Parser<Document> {
    plugin: Arc<Plugin>,
    parse: Export<(String,), (Result<Document, wit::Violation>,)>,
}

impl<Document: Lift + Send + Sync + 'static> Parser<Document> {
    fn load(engine: &Engine, role: Role, source: Source<'_>, settings: Settings) -> Result<Self, LoadError> {
        let plugin = Plugin::load(engine, role, source, settings)?;
        // The types of this export, and the conversions from them, are those of one version.
        let parse = match plugin.info.wit {
            WitVersion::V0_1_0 => plugin.export("parse")?,
        };
        Ok(Self { plugin: Arc::new(plugin), parse })
    }

    fn parse<Made>(&self, text: &str) -> Parsing<Made>
    where
        Made: From<Document>,
    {
        let (plugin, parse, text) = (Arc::clone(&self.plugin), self.parse.clone(), text.to_owned());
        Box::pin(async move {
            let mut session = Session::open(&plugin, "", Outside::Nothing).await?;
            let (parsed,) = session.call(&parse, (text,)).await?;
            Ok(parsed.map(Into::into).map_err(Into::into))
        })
    }
}

macro_rules! parsers {
    ($($(#[doc = $doc:literal])+ $name:ident(-> $document:ident = $wit:ident);)+) => {$(
        $(#[doc = $doc])+
        pub struct $name(Parser<wit::$wit>);

        impl $name {
            /// Checks, compiles and links. Compiling takes from milliseconds to half a minute: not on a thread that
            /// runs futures.
            pub fn load(engine: &Engine, source: Source<'_>, settings: Settings) -> Result<Self, LoadError> {
                Parser::load(engine, Role::$name, source, settings).map(Self)
            }

            pub fn info(&self) -> &PluginInfo {
                &self.0.plugin.info
            }

            /// The text is taken now; the guest is made when somebody waits for it.
            pub fn parse(&self, text: &str) -> Parsing<$document> {
                self.0.parse(text)
            }
        }
    )+};
}

parsers! {
    /// Parses `diagnosis_plan_v1`.
    PlanParser(-> Plan = Plan);
    /// Parses `executor_evidence_v2`.
    EvidenceParser(-> Evidence = Evidence);
    /// Parses `verification_v1`.
    VerificationParser(-> VerificationReport = VerificationReport);
    /// Parses `composed_answer_v1`.
    AnswerParser(-> ComposedAnswer = Answer);
}
