;; worlds: answer-parser
;; does: brings twenty memories of one page along
;; ends by: the limit on memories, when the instance is made
(module
  (memory (export "memory") 2)
  (memory 1) (memory 1) (memory 1) (memory 1) (memory 1) (memory 1) (memory 1) (memory 1) (memory 1) (memory 1)
  (memory 1) (memory 1) (memory 1) (memory 1) (memory 1) (memory 1) (memory 1) (memory 1) (memory 1)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/answer-protocol@0.1.0#parse") (param i32 i32) (result i32) (i32.const 64)))
