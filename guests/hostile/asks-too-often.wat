;; worlds: planner
;; does: asks its agent again and again
;; ends by: the limit on invocations
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (loop $again
    (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
    (br $again))
  unreachable)
