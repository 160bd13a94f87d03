;; worlds: planner answer-parser thinker
;; does: computes for ever in its start function, before anything is called
;; ends by: the compute limit
;; limits: compute=50ms
(start $spin)
