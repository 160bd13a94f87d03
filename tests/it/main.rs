//! The one test binary of Portcullis.
