;; worlds: answer-parser
;; does: is a module of two memories
;; ends by: a refusal when it is loaded: this part of WebAssembly is switched off
(module
  (memory (export "memory") 2)
  (memory 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/answer-protocol@0.1.0#parse") (param i32 i32) (result i32) (i32.const 64)))
