;; worlds: planner thinker
;; does: panics as Rust does with the hook: says why to the log, and traps
;; ends by: its trap, and its words are in the detail
(func $panic (call $log (i32.const 3) (i32.const 1040) (i32.const 43)) unreachable)
(func $prepare (result i32) (call $panic) unreachable)
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32) (call $panic) unreachable)
