;; worlds: planner
;; does: calls itself without end when the host, in a call of the guest, asks it for room for the agent's answer
;; ends by: the end of its stack
(global $asks (mut i32) (i32.const 0))
(func $realloc (param $size i32) (result i32)
  (if (global.get $asks) (then (call $overflow)))
  (i32.const 8192))
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (global.set $asks (i32.const 1))
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  unreachable)
