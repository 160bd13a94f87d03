;; What an adapter may import. `$attempt` has the handle of its run in `$config`.
(import "portcullis:node/log@0.1.0" "write" (func $log (param $level i32) (param $text i32) (param $length i32)))
(import "portcullis:node/invoker@0.1.0" "invoke"
  (func $invoke (param $input i32) (param $length i32) (param $config i32) (param $result i32)))
(import "portcullis:node/run@0.1.0" "[method]run-config.run-id" (func $run_id (param $config i32) (param $result i32)))
(import "portcullis:node/run@0.1.0" "[resource-drop]run-config" (func $drop (param $config i32)))
