;; worlds: answer-parser
;; does: is a parser, and would like to speak
;; ends by: a refusal when it is loaded
;; wit: test:guest/parser-with-log
(module
  (import "portcullis:node/log@0.1.0" "write" (func (param i32 i32 i32)))
  (memory (export "memory") 2)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/answer-protocol@0.1.0#parse") (param i32 i32) (result i32) (i32.const 64)))
