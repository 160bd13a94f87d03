;; worlds: answer-parser
;; does: calls what is beyond its table
;; ends by: its trap
(table 1 funcref)
(func $parse (param $text i32) (param $length i32) (result i32) (call_indirect (result i32) (i32.const 7)))
