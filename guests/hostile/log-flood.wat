;; worlds: planner
;; does: writes a hundred thousand messages to the log
;; ends by: nothing: it is a legal call, and what is more than 64 messages is dropped
(func $prepare (result i32)
  (local $left i32)
  (local.set $left (i32.const 100000))
  (loop $again
    (call $log (i32.const 3) (i32.const 1040) (i32.const 43))
    (br_if $again (local.tee $left (i32.sub (local.get $left) (i32.const 1)))))
  (i32.const 64))
