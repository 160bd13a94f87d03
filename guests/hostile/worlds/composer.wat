;; The exports of world `composer`.
(func (export "portcullis:node/composer-adapter@0.1.0#prepare")
  (param $verdict i32) (param $claims i32) (param $claim_count i32) (param $missing i32) (param $missing_count i32)
  (param $advice i32) (param $advice_count i32) (result i32)
  (call $prepare))
(func (export "portcullis:node/composer-adapter@0.1.0#attempt")
  (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $attempt (local.get $input) (local.get $length) (local.get $config)))
