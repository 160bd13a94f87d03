;; worlds: answer-parser
;; does: is born with more memory than it may have
;; ends by: a refusal when it is loaded
(module
  (memory (export "memory") 1025)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/answer-protocol@0.1.0#parse") (param i32 i32) (result i32) (i32.const 64)))
