//! Portcullis: a WebAssembly plug-in host for evidence-gated diagnosis.
