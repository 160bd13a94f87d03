;; worlds: planner executor verifier composer
;; does: hands its agent other bytes
;; ends by: the comparison with the bytes that it was given
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (i32.store8 (local.get $input) (i32.const 73))
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  (call $drop (local.get $config)) (i32.const 80))
