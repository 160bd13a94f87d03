;; worlds: planner answer-parser thinker
;; does: calls itself without end
;; ends by: the end of its stack, which is a trap and nothing worse
(func $prepare (result i32) (call $overflow) unreachable)
(func $parse (param $text i32) (param $length i32) (result i32) (call $overflow) unreachable)
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32) (call $overflow) unreachable)
