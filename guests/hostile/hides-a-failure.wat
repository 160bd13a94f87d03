;; worlds: planner
;; does: asks an agent that fails, and says that all is well
;; ends by: the host, which saw the failure
;; agent: transient
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  (call $drop (local.get $config)) (i32.const 64))
