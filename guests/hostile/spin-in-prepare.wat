;; worlds: planner executor verifier composer
;; does: computes for ever in `prepare`
;; ends by: the compute limit
;; limits: compute=50ms
(func $prepare (result i32) (call $spin) unreachable)
