;; worlds: answer-parser
;; does: looks for environment variables, arguments, folders and input, and traps if there is one
;; ends by: nothing: there is none
;; wasi: sandboxed
(func $parse (param $text i32) (param $length i32) (result i32)
  (call $environment (i32.const 200)) (if (i32.load (i32.const 204)) (then unreachable))
  (call $arguments (i32.const 200)) (if (i32.load (i32.const 204)) (then unreachable))
  (call $folders (i32.const 200)) (if (i32.load (i32.const 204)) (then unreachable))
  ;; err(closed): the input is at its end.
  (call $read (call $stdin) (i64.const 1000) (i32.const 200))
  (if (i32.eqz (i32.load8_u (i32.const 200))) (then unreachable))
  (if (i32.ne (i32.load8_u (i32.const 204)) (i32.const 1)) (then unreachable))
  (i32.const 64))
