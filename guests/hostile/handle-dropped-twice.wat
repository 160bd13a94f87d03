;; worlds: planner thinker
;; does: gives the handle of its run back twice
;; ends by: the table of handles
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $drop (local.get $config)) (i32.const 64))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $drop (local.get $config)) (i32.const 64))
