;; worlds: answer-parser
;; does: is born with a larger table than it may have
;; ends by: a refusal when it is loaded: the limit on the elements of a table
(table 100001 funcref)
