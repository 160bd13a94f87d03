;; worlds: investigator
;; does: calls a tool again and again
;; ends by: the limit on calls, which holds without the policy too
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (loop $again
    (call $tool (i32.const 1024) (i32.const 5) (i32.const 1024) (i32.const 5) (local.get $config) (i32.const 80))
    (br $again))
  unreachable)
