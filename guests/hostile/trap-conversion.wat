;; worlds: answer-parser
;; does: makes an integer of what is no number
;; ends by: its trap
(func $parse (param $text i32) (param $length i32) (result i32) (i32.trunc_f64_s (f64.const nan)))
