;; worlds: planner
;; does: writes a message of 2 MiB to the log
;; ends by: nothing: the message is cut
(func $prepare (result i32)
  (drop (memory.grow (i32.const 64)))
  (memory.fill (i32.const 200000) (i32.const 120) (i32.const 2097152))
  (call $log (i32.const 3) (i32.const 200000) (i32.const 2097152))
  (i32.const 64))
