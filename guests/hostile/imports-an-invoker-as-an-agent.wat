;; worlds: thinker investigator
;; does: is an agent, and would like to ask an agent: recursion through the host
;; ends by: a refusal when it is loaded
;; wit: test:guest/thinker-with-invoker
(module
  (import "portcullis:node/invoker@0.1.0" "invoke" (func (param i32 i32 i32 i32)))
  (memory (export "memory") 2)
  (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
  (func (export "portcullis:node/agent@0.1.0#respond") (param i32 i32 i32) (result i32) (i32.const 64)))
