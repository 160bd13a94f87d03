;; worlds: planner
;; does: calls itself without end, and the host (an async function) on each level
;; ends by: the end of its stack: the host's own stack is another part of the same fiber, and there is enough of it
(func $deeper (call $log (i32.const 0) (i32.const 1024) (i32.const 5)) (call $deeper))
(func $prepare (result i32) (call $deeper) unreachable)
