;; worlds: planner
;; does: gives the handle of its run back, and goes on using it
;; ends by: the table of handles
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config))
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  unreachable)
