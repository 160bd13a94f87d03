;; worlds: planner
;; does: asks an agent that never answers
;; ends by: the time for host calls; it hears so, and says so
;; agent: silent
;; limits: wall=1000ms
