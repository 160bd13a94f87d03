;; worlds: answer-parser plan-parser
;; does: gives a list of three million entries, all of them the same few bytes
;; ends by: the limit on what is copied
(func $parse (param $text i32) (param $length i32) (result i32)
  (drop (memory.grow (i32.const 900)))
  (i32.store (i32.const 68) (i32.const 8192)) (i32.store (i32.const 72) (i32.const 0))
  (i32.store (i32.const 76) (i32.const 8192)) (i32.store (i32.const 80) (i32.const 3000000))
  (i32.store (i32.const 68) (i32.const 8192)) (i32.store (i32.const 72) (i32.const 1000000))
  (i32.const 64))
