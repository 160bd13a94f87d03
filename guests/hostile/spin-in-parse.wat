;; worlds: plan-parser evidence-parser verification-parser answer-parser
;; does: computes for ever in `parse`
;; ends by: the compute limit
;; limits: compute=50ms
(func $parse (param $text i32) (param $length i32) (result i32) (call $spin) unreachable)
