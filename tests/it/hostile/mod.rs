//! Guests that misbehave on purpose: `guests/hostile/NAME.wat` is a misbehaviour, `NAME.expected` what came of it, word
//! for word. `BLESS=1` rewrites the latter.

mod act;
mod beside;
mod flood;
mod guest;
mod logged;
mod promises;
mod runs;
mod suite;
mod table;
