;; worlds: answer-parser
;; does: calls a function of another type
;; ends by: its trap
(table funcref (elem $spin))
(func $parse (param $text i32) (param $length i32) (result i32) (call_indirect (result i32) (i32.const 0)))
