;; worlds: planner answer-parser thinker
;; does: asks for more memory than there can be in a world of 32 bits
;; ends by: the memory limit
(func $bomb (if (i32.eq (memory.grow (i32.const -1)) (i32.const -1)) (then unreachable)))
(func $prepare (result i32) (call $bomb) (i32.const 64))
(func $parse (param $text i32) (param $length i32) (result i32) (call $bomb) (i32.const 64))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32) (call $bomb) (i32.const 64))
