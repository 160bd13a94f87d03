;; The exports of world `verifier`.
(func (export "portcullis:node/verifier-adapter@0.1.0#prepare") (param $projection i32) (result i32) (call $prepare))
(func (export "portcullis:node/verifier-adapter@0.1.0#attempt")
  (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $attempt (local.get $input) (local.get $length) (local.get $config)))
