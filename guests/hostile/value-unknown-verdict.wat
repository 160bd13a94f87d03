;; worlds: verification-parser
;; does: gives a verdict that there is not
;; ends by: the check of the case
(func $wrong (result i32)
  (i32.store8 (i32.const 68) (i32.const 9)) (i32.const 64))
(func $prepare (result i32) (call $wrong))
(func $parse (param $text i32) (param $length i32) (result i32) (call $wrong))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $wrong))
