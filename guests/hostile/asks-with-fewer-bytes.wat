;; worlds: planner executor verifier composer
;; does: hands its agent fewer bytes
;; ends by: the comparison with the bytes that it was given
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (local.set $length (i32.const 4))
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  (call $drop (local.get $config)) (i32.const 80))
