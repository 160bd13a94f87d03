;; worlds: planner answer-parser thinker
;; does: offers room for an argument beyond its memory
;; ends by: the check of the pointer
(func $realloc (param $size i32) (result i32) (i32.const -16))
