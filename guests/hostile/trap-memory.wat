;; worlds: answer-parser
;; does: reads beyond its memory
;; ends by: its trap
(func $parse (param $text i32) (param $length i32) (result i32) (i32.load (i32.const -4)))
