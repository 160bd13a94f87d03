;; worlds: planner
;; does: asks its agent, waits for it, and then calls itself without end
;; ends by: the end of its stack
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  (call $overflow) unreachable)
