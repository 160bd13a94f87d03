;; worlds: answer-parser
;; does: brings ten memories along, each within the limit, together beyond it
;; ends by: the memory limit, which is that of all memories together
;; limits: memory=20MiB
(module
  (memory (export "memory") 64)
  (memory 64) (memory 64) (memory 64) (memory 64) (memory 64) (memory 64) (memory 64) (memory 64) (memory 64)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/answer-protocol@0.1.0#parse") (param i32 i32) (result i32) (i32.const 64)))
