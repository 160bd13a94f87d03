;; worlds: answer-parser
;; does: asks for more memory for ever, and does not mind that it gets none
;; ends by: the compute limit
;; limits: compute=50ms
(func $parse (param $text i32) (param $length i32) (result i32)
  (loop $again (drop (memory.grow (i32.const 1))) (br $again)) unreachable)
