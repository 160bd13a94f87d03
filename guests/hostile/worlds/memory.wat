;; What every guest needs to take arguments: a memory, and an allocator that never frees. Its heap begins at 8192; the
;; lower part is the guest's own. At 64 is the result `ok("input")`, whose text is at 1024.
(memory (export "memory") 2)
(global $heap (mut i32) (i32.const 8192))
(data (i32.const 64) "\00\00\00\00" "\00\04\00\00" "\05\00\00\00")
(data (i32.const 1024) "input")
(data (i32.const 1040) "panicked at src/lib.rs:7: expected a number\n")
(func (export "cabi_realloc") (param $old i32) (param $old_size i32) (param $align i32) (param $size i32) (result i32)
  (call $realloc (local.get $size)))
(func $spin (loop $again (br $again)))
(func $overflow (call $overflow))
