;; The export of both agents' worlds.
(func (export "portcullis:node/agent@0.1.0#respond") (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $respond (local.get $input) (local.get $length) (local.get $config)))
