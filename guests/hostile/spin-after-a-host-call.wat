;; worlds: planner
;; does: asks its agent, and then computes for ever
;; ends by: the compute limit: a call of the host gives no new time
;; limits: compute=50ms
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  (call $spin) unreachable)
