;; worlds: planner executor verifier composer
;; does: computes for ever in `attempt`, and never asks its agent
;; ends by: the compute limit
;; limits: compute=50ms
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32) (call $spin) unreachable)
