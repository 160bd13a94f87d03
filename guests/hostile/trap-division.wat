;; worlds: answer-parser
;; does: divides by zero
;; ends by: its trap
(func $parse (param $text i32) (param $length i32) (result i32) (i32.div_u (i32.const 1) (i32.const 0)))
