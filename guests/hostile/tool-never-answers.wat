;; worlds: investigator
;; does: calls a tool that never answers
;; ends by: the time for host calls; it hears so, and answers without
;; tools: silent
;; limits: wall=1000ms
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $tool (i32.const 1024) (i32.const 5) (i32.const 1024) (i32.const 5) (local.get $config) (i32.const 80))
  (call $drop (local.get $config)) (i32.const 64))
