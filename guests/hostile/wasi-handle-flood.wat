;; worlds: answer-parser
;; does: makes alarms without end, and keeps them all
;; ends by: the limit on what the host keeps for a guest
;; wasi: sandboxed
(func $parse (param $text i32) (param $length i32) (result i32)
  (loop $again (drop (call $alarm (i64.const 0))) (br $again)) unreachable)
