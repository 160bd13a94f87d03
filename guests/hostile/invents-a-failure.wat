;; worlds: planner thinker
;; does: says that its agent failed for now, which nobody saw, to be asked again
;; ends by: its own word, which is not believed: a refusal, and of an agent a permanent failure
(func $transient (result i32)
  (i32.store (i32.const 80) (i32.const 1)) (i32.store (i32.const 84) (i32.const 0))
  (i32.store (i32.const 88) (i32.const 1024)) (i32.store (i32.const 92) (i32.const 5)) (i32.const 80))
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $transient))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $transient))
