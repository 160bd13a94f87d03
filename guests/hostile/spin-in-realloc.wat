;; worlds: planner answer-parser thinker
;; does: computes for ever when the host asks it for room for an argument
;; ends by: the compute limit
;; limits: compute=50ms
(func $realloc (param $size i32) (result i32) (call $spin) unreachable)
