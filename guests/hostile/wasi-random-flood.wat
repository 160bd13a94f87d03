;; worlds: answer-parser
;; does: asks for 4 GiB of random bytes
;; ends by: the limit on random bytes
;; wasi: sandboxed
(func $parse (param $text i32) (param $length i32) (result i32)
  (call $random_bytes (i64.const 4294967295) (i32.const 200)) (i32.const 64))
