//! The imports of a file and the roles that it has, held against the configuration.

use crate::config::Config;
use crate::setup::{Grant, grants};
use portcullis_plugins::{Compared, Inspection, Need, Origin, Role, explain};
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

/// An import, and what it takes.
#[derive(Debug)]
pub(super) struct Explained {
    pub(super) name: String,
    pub(super) need: Need,
    pub(super) allows: &'static str,
    pub(super) granted: Vec<Granted>,
    pub(super) origin: Option<Origin>,
}

/// Whether a place of the configuration grants it.
#[derive(Debug, Serialize)]
pub(super) struct Granted {
    pub(super) place: &'static str,
    pub(super) granted: bool,
}

/// How a file fits a place of the configuration.
#[derive(Debug, Serialize)]
pub(super) struct Fit {
    pub(super) role: &'static str,
    pub(super) place: &'static str,
    pub(super) fits: bool,
    /// Whether types were compared, or will be when it is loaded.
    pub(super) types_compared: bool,
    pub(super) problem: Option<String>,
    pub(super) fix: Option<String>,
}

impl Serialize for Explained {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { name, need, allows, granted, origin } = self;
        let mut fields = serializer.serialize_struct("Explained", 6)?;
        fields.serialize_field("name", name)?;
        fields.serialize_field("need", need.as_str())?;
        fields.serialize_field("allows", allows)?;
        fields.serialize_field("granted", granted)?;
        fields.serialize_field("usual_origin", &origin.map(|origin| origin.usual))?;
        fields.serialize_field("without", &origin.map(|origin| origin.without))?;
        fields.end()
    }
}

fn places(inspected: &Inspection, config: &Config) -> Vec<(Role, Grant)> {
    let of_role = |role| grants(config, role).into_iter().map(move |grant| (role, grant));
    inspected.roles().into_iter().flat_map(of_role).collect()
}

pub(super) fn imports(inspected: &Inspection, config: &Config) -> Vec<Explained> {
    let places = places(inspected, config);
    let language = inspected.producers.language();
    let explained = |name: &String| {
        let explanation = explain(name, language);
        let granted = |(_, Grant { place, settings }): &(Role, Grant)| Granted {
            place,
            granted: explanation.need.granted(settings),
        };
        Explained {
            name: name.clone(),
            need: explanation.need,
            allows: explanation.allows,
            granted: places.iter().map(granted).collect(),
            origin: explanation.origin,
        }
    };
    inspected.imports.iter().map(explained).collect()
}

pub(super) fn fits(inspected: &Inspection, config: &Config) -> Vec<Fit> {
    let fit = |(role, Grant { place, settings }): (Role, Grant)| {
        let outcome = inspected.fits(role, &settings);
        Fit {
            role: role.world(),
            place,
            fits: outcome.is_ok(),
            types_compared: outcome == Ok(Compared::Types),
            problem: outcome.as_ref().err().map(ToString::to_string),
            fix: outcome.as_ref().err().map(|problem| problem.fix(role).to_string()),
        }
    };
    places(inspected, config).into_iter().map(fit).collect()
}
