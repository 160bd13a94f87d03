;; worlds: planner executor verifier composer
;; does: asks its agent in `prepare`, with the handle that its run will have
;; ends by: the table of handles, which is empty
(func $prepare (result i32)
  (call $invoke (i32.const 1024) (i32.const 5) (i32.const 1) (i32.const 80)) (i32.const 64))
