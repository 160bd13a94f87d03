;; worlds: answer-parser
;; does: would like to have a network, under granted WASI
;; ends by: a refusal when it is loaded
;; wasi: sandboxed
;; wit: test:guest/networked
(module
  (import "wasi:sockets/instance-network@0.2.0" "instance-network" (func (result i32)))
  (memory (export "memory") 2)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/answer-protocol@0.1.0#parse") (param i32 i32) (result i32) (i32.const 64)))
