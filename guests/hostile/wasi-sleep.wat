;; worlds: answer-parser
;; does: sleeps for an hour
;; ends by: the wall time: it does not compute, so the compute limit never sees it
;; wasi: sandboxed
;; limits: wall=100ms
(func $parse (param $text i32) (param $length i32) (result i32)
  (call $block (call $alarm (i64.const 3600000000000))) (i32.const 64))
