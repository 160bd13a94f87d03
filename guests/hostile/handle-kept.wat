;; worlds: planner thinker
;; does: does not give the handle of its run back
;; ends by: the loan that is still open when it returns
(func $attempt (param $input i32) (param $length i32) (param $config i32) (result i32) (i32.const 64))
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32) (i32.const 64))
