;; worlds: answer-parser
;; does: computes for ever under a compute limit that is larger than its wall time
;; ends by: the wall time
;; limits: compute=3600000ms wall=100ms
(func $parse (param $text i32) (param $length i32) (result i32) (call $spin) unreachable)
