;; worlds: planner
;; does: writes to the log at a level that the contract does not have
;; ends by: the check of the case
(func $prepare (result i32) (call $log (i32.const 9) (i32.const 1024) (i32.const 5)) (i32.const 64))
