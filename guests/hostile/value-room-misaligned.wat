;; worlds: executor
;; does: offers room for an argument at an odd address
;; ends by: the check of the pointer
(func $realloc (param $size i32) (result i32) (i32.const 8193))
