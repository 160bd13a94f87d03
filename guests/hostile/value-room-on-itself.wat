;; worlds: planner
;; does: offers the same room for all arguments, and so reads its own input wrong
;; ends by: the host, which kept the right bytes
(func $realloc (param $size i32) (result i32) (i32.const 1024))
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32)
  (i32.store8 (local.get $input) (i32.const 73))
  (call $invoke (local.get $input) (local.get $length) (local.get $config) (i32.const 80))
  unreachable)
