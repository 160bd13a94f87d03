;; worlds: investigator
;; does: gives the handle of its run back, and calls a tool with it
;; ends by: the table of handles; no tool was called
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config))
  (call $tool (i32.const 1024) (i32.const 5) (i32.const 1024) (i32.const 5) (local.get $config) (i32.const 80))
  unreachable)
