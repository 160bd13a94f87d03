;; worlds: planner executor verifier composer plan-parser evidence-parser verification-parser answer-parser thinker investigator
;; does: traps, as a panic without a hook does
;; ends by: its trap
(func $prepare (result i32) unreachable)
(func $parse (param $text i32) (param $length i32) (result i32) unreachable)
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32) unreachable)
