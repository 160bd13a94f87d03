;; worlds: planner answer-parser thinker
;; does: gives a result at an odd address
;; ends by: the check of the pointer
(func $wrong (result i32)
  (i32.const 65))
(func $prepare (result i32) (call $wrong))
(func $parse (param $text i32) (param $length i32) (result i32) (call $wrong))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $wrong))
