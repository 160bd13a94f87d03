;; worlds: planner
;; does: uses the handle beside that of its run
;; ends by: the table of handles: there is no other in it
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $invoke (local.get $input) (local.get $length) (i32.add (local.get $config) (i32.const 1)) (i32.const 80))
  unreachable)
