;; worlds: answer-parser
;; does: lets a table grow without end, and dies when it gets no more
;; ends by: the limit on the elements of a table
(table $table 1 funcref)
(func $parse (param $text i32) (param $length i32) (result i32)
  (loop $again (br_if $again (i32.ne (table.grow $table (ref.null func) (i32.const 1000)) (i32.const -1)))) unreachable)
