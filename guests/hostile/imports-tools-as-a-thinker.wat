;; worlds: thinker
;; does: is an agent without tools, and would like to call some
;; ends by: a refusal when it is loaded
;; wit: test:guest/thinker-with-tools
(module
  (import "portcullis:node/tools@0.1.0" "call" (func (param i32 i32 i32 i32 i32 i32)))
  (memory (export "memory") 2)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/agent@0.1.0#respond") (param i32 i32 i32) (result i32) (i32.const 64)))
