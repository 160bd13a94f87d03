;; worlds: answer-parser
;; does: brings more tables along than a guest may have
;; ends by: a refusal when it is loaded: the limit on tables
(module
  (memory (export "memory") 2)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref) (table 1 funcref)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/answer-protocol@0.1.0#parse") (param i32 i32) (result i32) (i32.const 64)))
