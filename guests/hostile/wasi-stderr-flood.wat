;; worlds: answer-parser
;; does: prints a hundred thousand lines, and traps
;; ends by: its trap; what is more than 64 lines is dropped
;; wasi: sandboxed
;; limits: compute=20000ms
(func $parse (param $text i32) (param $length i32) (result i32)
  (local $left i32) (local $stderr i32)
  (local.set $stderr (call $stderr))
  (local.set $left (i32.const 100000))
  (loop $again
    (call $write (local.get $stderr) (i32.const 1040) (i32.const 44) (i32.const 200))
    (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
  unreachable)
