;; worlds: planner answer-parser thinker
;; does: gives a text of nearly 4 GiB
;; ends by: the check of the pointer
(func $wrong (result i32)
  (i32.store (i32.const 72) (i32.const -1)) (i32.const 64))
(func $prepare (result i32) (call $wrong))
(func $parse (param $text i32) (param $length i32) (result i32) (call $wrong))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $wrong))
