;; worlds: planner answer-parser thinker
;; does: gives more text than the host copies in one call
;; ends by: the limit on what is copied
(func $flood (result i32)
  (drop (memory.grow (i32.const 256)))
  (i32.store (i32.const 68) (i32.const 1000000)) (i32.store (i32.const 72) (i32.const 8000000)) (i32.const 64))
(func $prepare (result i32) (call $flood))
(func $parse (param $text i32) (param $length i32) (result i32) (call $flood))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $flood))
