//! The next generation of a running host: made beside the one that serves, and published whole or not at all.
//!
//! It knows neither signals nor files that change: whoever calls it has read a configuration and wants it.

use super::{Serving, SetupError, Shared, Slot, smoke};
use crate::config::Config;
use crate::run::Catalog;
use portcullis_plugins::Right;
use std::fmt;

/// A generation that may serve: loaded, checked, compiled and tried.
pub struct Prepared {
    next: Shared,
    /// What is not the same as before, in the order of the graph.
    pub changes: Vec<Change>,
    /// Whether other candidates are in the shadow now.
    pub other_candidates: bool,
    /// Sections of the configuration that differ and are read at a start alone.
    pub after_restart: Vec<&'static str>,
}

/// A place that something else fills, or the same file with other settings.
pub struct Change {
    pub slot: Slot,
    pub before: Serving,
    pub after: Serving,
}

/// Why the next generation does not serve. The one before stays as it is.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(
        "component `{component}` ({origin}) cannot replace `{serving}` as {slot}: it imports {}, and the one that it \
         replaces does not. Fix: write rights = [{}] under [{}] if it may, or build it without",
        listed(more, '`'), listed(all, '"'), slot.table().join(".")
    )]
    ImportsMore { slot: Slot, component: String, origin: String, serving: String, more: Vec<Right>, all: Vec<Right> },
    #[error(
        "component `{component}` ({origin}) cannot serve as {slot}: it fits and does not work: {why}. Fix: build it \
         again, and try it with `portcullis node use {slot} FILE --dry-run`"
    )]
    Smoke { slot: Slot, component: String, origin: String, why: String },
    #[error("the components cannot be loaded: {0}")]
    Lost(tokio::task::JoinError),
}

impl Shared {
    /// Makes what is to serve next. What stays the same is kept and not loaded again; tools, store and run budget stay
    /// as they are.
    ///
    /// # Errors
    /// [`Refused`] that names the component, what is wrong and the way out. Nothing has changed then.
    pub async fn prepare(&self, config: Config) -> Result<Prepared, Refused> {
        let after_restart = after_restart(&self.config, &config);
        let Config { nodes, agents, shadow, source, tools: _, store: _, run: _ } = config;
        let config = Config { nodes, shadow, agents, source, ..(*self.config).clone() };
        // Compiling is not for a thread that runs futures.
        let serving = self.clone();
        let loading = tokio::task::spawn_blocking(move || Self::with(serving.engine.clone(), config, Some(&serving)));
        let next = loading.await.map_err(Refused::Lost)??;

        let mut changes = Vec::new();
        for ((slot, before), (_, after)) in self.serving().into_iter().zip(next.serving()) {
            if !after.is_kept_from(&before) {
                let change = Change { slot, before, after };
                change.check_imports(&next.config)?;
                change.try_out().await?;
                changes.push(change);
            }
        }
        let digests = |shared: &Self| -> Vec<_> { shared.candidates().map(|info| info.sha256.clone()).collect() };
        let other_candidates = self.config.shadow != next.config.shadow || digests(self) != digests(&next);
        Ok(Prepared { next, changes, other_candidates, after_restart })
    }
}

impl Prepared {
    /// From now on new runs are served by it; those on their way keep what they began with. Gives back what the next
    /// reload starts from.
    pub fn publish(self, catalog: &Catalog) -> Shared {
        catalog.publish(self.next.generation());
        self.next
    }
}

impl Change {
    /// A component may import no more than the one that it replaces, unless the configuration lists its rights. WASI is
    /// never granted unlisted, so loading has seen to that.
    fn check_imports(&self, config: &Config) -> Result<(), Refused> {
        let (Some(before), Some(after)) = (self.before.info(), self.after.info()) else { return Ok(()) };
        let mut config = config.clone();
        // Listed rights were compared with the imports when it was loaded; a built-in component is the host's own.
        let needs_no_leave = self
            .slot
            .component_mut(&mut config)
            .is_some_and(|component| component.rights.is_some() || component.component.is_none());
        let more: Vec<_> = after.rights.iter().copied().filter(|right| !before.rights.contains(right)).collect();
        if needs_no_leave || more.is_empty() {
            return Ok(());
        }
        Err(Refused::ImportsMore {
            slot: self.slot,
            component: after.name.clone(),
            origin: after.origin.clone(),
            serving: before.name.clone(),
            more,
            all: after.rights.clone(),
        })
    }

    async fn try_out(&self) -> Result<(), Refused> {
        let Err(why) = smoke::try_out(self.after.clone()).await.map_err(Refused::Lost)? else { return Ok(()) };
        let (component, origin) =
            self.after.info().map(|info| (info.name.clone(), info.origin.clone())).unwrap_or_default();
        Err(Refused::Smoke { slot: self.slot, component, origin, why })
    }
}

/// `composer: default-composer 0.1.0 (sha256 97f900983cd9) → own (sha256 2c19b3ac1b73)`
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: usize = 12;
        let short = |sha256: &str| sha256.chars().take(DIGITS).collect::<String>();
        let (before, after) = (self.before.record(self.slot), self.after.record(self.slot));
        write!(f, "{}: ", self.slot)?;
        if before == after {
            return write!(f, "{} (sha256 {}) with other settings", after.component, short(&after.sha256));
        }
        for (served, end) in [(&before, " → "), (&after, "")] {
            let version = if served.version.is_empty() { String::new() } else { format!(" {}", served.version) };
            write!(f, "{}{version} (sha256 {}){end}", served.component, short(&served.sha256))?;
        }
        Ok(())
    }
}

/// The sections that say something else and take effect at a start alone.
fn after_restart(running: &Config, wanted: &Config) -> Vec<&'static str> {
    // Without a file the default store is named from the working folder, with one from the file's.
    let place = |config: &Config| std::path::absolute(&config.store.path).ok();
    let differs = [
        ("tools", running.tools != wanted.tools),
        ("store", running.store.is_memory() != wanted.store.is_memory() || place(running) != place(wanted)),
        ("run", running.run != wanted.run),
    ];
    differs.into_iter().filter(|(_, differs)| *differs).map(|(section, _)| section).collect()
}

fn listed(rights: &[Right], quote: char) -> String {
    let quoted: Vec<_> = rights.iter().map(|right| format!("{quote}{}{quote}", right.as_str())).collect();
    quoted.join(", ")
}
