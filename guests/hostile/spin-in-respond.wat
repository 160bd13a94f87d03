;; worlds: thinker investigator
;; does: computes for ever in `respond`, while an adapter waits for it
;; ends by: the compute limit, of the agent and not of the adapter
;; limits: compute=50ms
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32) (call $spin) unreachable)
