;; worlds: planner
;; does: writes line ends and the controls of a terminal to the log, and traps
;; ends by: its trap; the words stay on their line
(data (i32.const 3000) "one\0aERROR forged\0d\1b[2Jgone")
(func $prepare (result i32) (call $log (i32.const 3) (i32.const 3000) (i32.const 25)) unreachable)
