;; worlds: answer-parser
;; does: calls itself without end, and the host (a function that is not async) on each level
;; ends by: the end of its stack
;; wasi: sandboxed
(func $deeper (drop (call $random)) (call $deeper))
(func $parse (param $text i32) (param $length i32) (result i32) (call $deeper) unreachable)
