;; worlds: planner
;; does: writes to the log for ever
;; ends by: the compute limit: the log is on the guest's own time
;; limits: compute=50ms
(func $prepare (result i32)
  (loop $again (call $log (i32.const 3) (i32.const 1040) (i32.const 43)) (br $again)) unreachable)
