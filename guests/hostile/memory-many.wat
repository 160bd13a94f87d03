;; worlds: answer-parser
;; does: consists of more memories than a guest may have
;; ends by: a refusal when it is loaded: the limit on memories
(component
  (core module $one (memory 1))
  (core instance (instantiate $one)) (core instance (instantiate $one)) (core instance (instantiate $one)) (core instance (instantiate $one))
  (core instance (instantiate $one)) (core instance (instantiate $one)) (core instance (instantiate $one)) (core instance (instantiate $one))
  (core instance (instantiate $one)) (core instance (instantiate $one)) (core instance (instantiate $one)) (core instance (instantiate $one))
  (core instance (instantiate $one)) (core instance (instantiate $one)) (core instance (instantiate $one)) (core instance (instantiate $one))
  (core instance (instantiate $one)) (core instance (instantiate $one)) (core instance (instantiate $one)) (core instance (instantiate $one))
  (core module $parser
    (memory (export "memory") 2)
    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
    (func (export "parse") (param i32 i32) (result i32) (i32.const 64)))
  (core instance $parser (instantiate $parser))
  (type $answer-type
    (record (field "headline" string) (field "claim-order" (list string)) (field "next-steps" (list string))))
  (type $violation-type (record (field "path" string) (field "message" string)))
  (import "portcullis:node/types@0.1.0" (instance $types
    (export "answer" (type (eq $answer-type)))
    (export "violation" (type (eq $violation-type)))))
  (alias export $types "answer" (type $answer))
  (alias export $types "violation" (type $violation))
  (func $parse (param "text" string) (result (result $answer (error $violation)))
    (canon lift (core func $parser "parse") (memory $parser "memory") (realloc (func $parser "realloc"))))
  (instance (export "portcullis:node/answer-protocol@0.1.0")
    (export "answer" (type $answer))
    (export "violation" (type $violation))
    (export "parse" (func $parse))))
