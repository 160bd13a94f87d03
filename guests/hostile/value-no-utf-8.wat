;; worlds: planner answer-parser thinker
;; does: gives bytes that are no UTF-8
;; ends by: the check of the text
(func $wrong (result i32)
  (i32.store8 (i32.const 1024) (i32.const 255)) (i32.const 64))
(func $prepare (result i32) (call $wrong))
(func $parse (param $text i32) (param $length i32) (result i32) (call $wrong))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $wrong))
