;; worlds: planner thinker
;; does: gives one byte of text more than it may
;; ends by: the limit on output
(func $flood (result i32)
  (drop (memory.grow (i32.const 256)))
  (i32.store (i32.const 68) (i32.const 1000000)) (i32.store (i32.const 72) (i32.const 1048577)) (i32.const 64))
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $flood))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $flood))
