//! Tests of the whole way from text to document. Single rules are tested beside their code.

mod agreement;
mod cases;
mod examples;
mod vectors;
mod wrapping;
