;; worlds: planner
;; does: writes a message to the log that begins in its memory and ends outside
;; ends by: the check of the pointer
(func $prepare (result i32) (call $log (i32.const 3) (i32.const 131000) (i32.const 1000)) (i32.const 64))
