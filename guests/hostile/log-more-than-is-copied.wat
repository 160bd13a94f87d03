;; worlds: planner
;; does: writes a message of 8 MiB to the log
;; ends by: the limit on what is copied
(func $prepare (result i32)
  (drop (memory.grow (i32.const 256)))
  (call $log (i32.const 3) (i32.const 200000) (i32.const 8388608))
  (i32.const 64))
