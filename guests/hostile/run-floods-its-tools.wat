;; worlds: investigator
;; does: calls a tool without end
;; ends by: policy, after three calls of the same; then the limit on calls
;; run: yes
(data (i32.const 3000) "look{}")
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (loop $again
    (call $tool (i32.const 3000) (i32.const 4) (i32.const 3004) (i32.const 2) (local.get $config) (i32.const 80))
    (br $again))
  unreachable)
