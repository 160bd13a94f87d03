;; worlds: answer-parser plan-parser
;; does: gives a list whose entries would be beyond its memory
;; ends by: the check of the pointer
(func $wrong (result i32)
  (i32.store (i32.const 68) (i32.const 8192)) (i32.store (i32.const 72) (i32.const 1000000)) (i32.store (i32.const 76) (i32.const 131000)) (i32.store (i32.const 80) (i32.const 1000)) (i32.const 64))
(func $prepare (result i32) (call $wrong))
(func $parse (param $text i32) (param $length i32) (result i32) (call $wrong))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $wrong))
