;; worlds: answer-parser
;; does: calls exit and says that all is well
;; ends by: its exit, which is a trap
;; wasi: sandboxed
(func $parse (param $text i32) (param $length i32) (result i32) (call $exit (i32.const 0)) (i32.const 64))
