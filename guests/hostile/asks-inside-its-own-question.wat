;; worlds: planner
;; does: asks its agent again while the host hands it the agent's answer
;; ends by: the rule that nothing leaves a component at that time: no recursion through the host
(global $config (mut i32) (i32.const 0))
(func $realloc (param $size i32) (result i32)
  (if (global.get $config)
    (then (call $invoke (i32.const 1024) (i32.const 5) (global.get $config) (i32.const 80))))
  (i32.const 8192))
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (global.set $config (local.get $config))
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  unreachable)
