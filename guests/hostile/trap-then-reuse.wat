;; worlds: planner
;; does: spoils the instance that prepared, and traps there; an instance that did not prepare works
;; ends by: its trap; the next attempt has another instance, and is not touched
(global $spoiled (mut i32) (i32.const 0))
(func $prepare (result i32) (global.set $spoiled (i32.const 1)) (i32.const 64))
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (if (global.get $spoiled) (then unreachable))
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  (call $drop (local.get $config)) (i32.const 80))
