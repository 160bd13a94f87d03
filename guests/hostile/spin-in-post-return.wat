;; worlds: answer-parser
;; does: gives its result, and computes for ever when it is told that it was read
;; ends by: the compute limit
;; limits: compute=50ms
(func (export "cabi_post_portcullis:node/answer-protocol@0.1.0#parse") (param $result i32) (call $spin))
