;; The part of WASI that the guests with `wasi: sandboxed` use, from `extra.wit`.
(import "wasi:cli/environment@0.2.0" "get-environment" (func $environment (param $result i32)))
(import "wasi:cli/environment@0.2.0" "get-arguments" (func $arguments (param $result i32)))
(import "wasi:cli/exit@0.2.0" "exit" (func $exit (param $status i32)))
(import "wasi:cli/stdin@0.2.0" "get-stdin" (func $stdin (result i32)))
(import "wasi:cli/stderr@0.2.0" "get-stderr" (func $stderr (result i32)))
(import "wasi:io/streams@0.2.0" "[method]input-stream.blocking-read"
  (func $read (param $stream i32) (param $length i64) (param $result i32)))
(import "wasi:io/streams@0.2.0" "[method]output-stream.blocking-write-and-flush"
  (func $write (param $stream i32) (param $bytes i32) (param $length i32) (param $result i32)))
(import "wasi:io/poll@0.2.0" "[method]pollable.block" (func $block (param $pollable i32)))
(import "wasi:clocks/monotonic-clock@0.2.0" "now" (func $uptime (result i64)))
(import "wasi:clocks/monotonic-clock@0.2.0" "subscribe-duration" (func $alarm (param $nanoseconds i64) (result i32)))
(import "wasi:clocks/wall-clock@0.2.0" "now" (func $now (param $result i32)))
(import "wasi:filesystem/preopens@0.2.0" "get-directories" (func $folders (param $result i32)))
(import "wasi:random/random@0.2.0" "get-random-u64" (func $random (result i64)))
(import "wasi:random/random@0.2.0" "get-random-bytes" (func $random_bytes (param $length i64) (param $result i32)))
