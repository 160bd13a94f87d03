;; worlds: planner answer-parser thinker
;; does: traps in its start function
;; ends by: its trap, when the instance is made
(func $boom unreachable)
(start $boom)
