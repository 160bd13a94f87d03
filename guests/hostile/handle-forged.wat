;; worlds: planner thinker
;; does: makes a handle up, and uses it
;; ends by: the table of handles
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (i32.const 0x7fffffff)) (i32.const 64))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (i32.const 0x7fffffff)) (i32.const 64))
