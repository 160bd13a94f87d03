;; worlds: answer-parser
;; does: asks for one page after the other, and dies when it gets no more
;; ends by: the memory limit
(func $parse (param $text i32) (param $length i32) (result i32)
  (loop $again (br_if $again (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) unreachable)
