;; worlds: planner
;; does: is an adapter, and would like to call tools itself
;; ends by: a refusal when it is loaded
;; wit: test:guest/planner-with-tools
(module
  (import "portcullis:node/tools@0.1.0" "call" (func (param i32 i32 i32 i32 i32 i32)))
  (memory (export "memory") 2)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/planner-adapter@0.1.0#prepare") (param i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/planner-adapter@0.1.0#attempt") (param i32 i32 i32) (result i32) (i32.const 64)))
