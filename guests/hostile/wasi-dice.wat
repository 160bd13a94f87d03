;; worlds: answer-parser
;; does: gives another answer each time
;; ends by: nothing: who grants WASI grants random numbers. Without the grant there is no such function
;; wasi: sandboxed
;; differs: yes
(func $parse (param $text i32) (param $length i32) (result i32)
  (local $left i32) (local $dice i64)
  (local.set $dice (call $random))
  (local.set $left (i32.const 16))
  (loop $again
    (local.set $left (i32.sub (local.get $left) (i32.const 1)))
    (i32.store8 (i32.add (i32.const 1024) (local.get $left))
      (i32.add (i32.const 97) (i32.wrap_i64 (i64.and (local.get $dice) (i64.const 15)))))
    (local.set $dice (i64.shr_u (local.get $dice) (i64.const 4)))
    (br_if $again (local.get $left)))
  (i32.store (i32.const 72) (i32.const 16)) (i32.const 64))
