;; worlds: planner answer-parser
;; does: computes for ever in `_initialize`, which runs when the component is made
;; ends by: the compute limit
;; limits: compute=50ms
(func (export "_initialize") (call $spin))
