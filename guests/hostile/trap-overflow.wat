;; worlds: answer-parser
;; does: divides the least integer by minus one
;; ends by: its trap
(func $parse (param $text i32) (param $length i32) (result i32) (i32.div_s (i32.const 0x80000000) (i32.const -1)))
