;; worlds: planner
;; does: writes bytes to the log that are no UTF-8
;; ends by: the check of the text
(data (i32.const 3000) "\c3\28")
(func $prepare (result i32) (call $log (i32.const 3) (i32.const 3000) (i32.const 2)) (i32.const 64))
