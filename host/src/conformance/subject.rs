//! A component by its role: borrowed to be examined, or loaded for that alone.

use portcullis_plugins::{
    AnswerParser, Composer, Engine, EvidenceParser, Executor, Investigator, LoadError, PlanParser, Planner, PluginInfo,
    Role, Settings, Source, Thinker, VerificationParser, Verifier,
};

macro_rules! subjects {
    ($($role:ident),+) => {
        /// A component that is examined.
        #[derive(Clone, Copy)]
        pub enum Subject<'a> { $($role(&'a $role),)+ }

        /// A component that is loaded for its examination.
        pub enum Loaded { $($role($role),)+ }

        impl Subject<'_> {
            pub fn info(&self) -> &PluginInfo {
                match self { $(Self::$role(it) => it.info(),)+ }
            }
        }

        impl Loaded {
            /// Checks, compiles and links.
            ///
            /// # Errors
            /// [`LoadError`] that names the component, what is wrong and the way out.
            pub fn load(engine: &Engine, role: Role, source: Source<'_>, settings: Settings) -> Result<Self, LoadError> {
                match role { $(Role::$role => $role::load(engine, source, settings).map(Self::$role),)+ }
            }

            pub fn subject(&self) -> Subject<'_> {
                match self { $(Self::$role(it) => Subject::$role(it),)+ }
            }
        }
    };
}

subjects!(
    Planner,
    Executor,
    Verifier,
    Composer,
    PlanParser,
    EvidenceParser,
    VerificationParser,
    AnswerParser,
    Thinker,
    Investigator
);
