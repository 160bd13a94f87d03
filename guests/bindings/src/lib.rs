//! What all guests share of `wit/`: its types as Rust types, their conversions to and from the contract's structs, and
//! a panic hook. Which node a guest is, and what it exports, is known in its own crate alone.
//!
//! A guest maps the shared interfaces to this crate with the `with` option of `wit_bindgen::generate!`.

mod documents;
pub mod inputs;
mod panics;

pub use generated::portcullis::node::{invoker, log, run, types};
pub use panics::report_panics;

mod generated {
    #![expect(clippy::same_length_and_capacity, reason = "what wit-bindgen generates")]

    wit_bindgen::generate!({
        path: "../../wit",
        inline: "
            package portcullis:guest;

            world shared {
                import portcullis:node/types@0.1.0;
                import portcullis:node/run@0.1.0;
                import portcullis:node/log@0.1.0;
                import portcullis:node/invoker@0.1.0;
            }
        ",
        world: "portcullis:guest/shared",
        generate_all,
        additional_derives: [PartialEq, Eq],
        additional_derives_ignore: ["RunConfig"],
    });
}
