;; worlds: planner
;; does: asks an agent that never answers, does not care, and asks again
;; ends by: the time for host calls, which are all those of the attempt together
;; agent: silent
;; limits: wall=1000ms
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  (call $drop (local.get $config)) (i32.const 80))
