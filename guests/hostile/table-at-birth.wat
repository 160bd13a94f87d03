;; worlds: answer-parser
;; does: is born with a larger table than it may have
;; ends by: the limit on the elements of a table, when the instance is made
(table 100001 funcref)
