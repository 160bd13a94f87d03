;; worlds: planner answer-parser thinker
;; does: gives a result that is neither ok nor an error
;; ends by: the check of the case
(func $wrong (result i32)
  (i32.store (i32.const 64) (i32.const 7)) (i32.const 64))
(func $prepare (result i32) (call $wrong))
(func $parse (param $text i32) (param $length i32) (result i32) (call $wrong))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $wrong))
