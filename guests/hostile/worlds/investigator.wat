;; World `investigator`: what it may import.
(import "portcullis:node/log@0.1.0" "write" (func $log (param $level i32) (param $text i32) (param $length i32)))
(import "portcullis:node/run@0.1.0" "[resource-drop]run-config" (func $drop (param $config i32)))
(import "portcullis:node/tools@0.1.0" "call"
  (func $tool (param $name i32) (param $name_length i32) (param $arguments i32) (param $arguments_length i32)
    (param $config i32) (param $result i32)))
