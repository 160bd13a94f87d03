;; worlds: investigator
;; does: calls a tool that policy forbids and one that there is not, and claims to have seen something
;; ends by: the gatekeeper; neither tool was called
;; run: yes
;; says: {"answer_version":"executor_evidence_v2","claims":[{"claim_id":"c1","text":"checkout is slow","evidence_bindings":[{"tool_name":"forbidden","raw_path":"","matched_text":"checkout is slow"}]}]}
(data (i32.const 3000) "forbidden{}shell")
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $tool (i32.const 3000) (i32.const 9) (i32.const 3009) (i32.const 2) (local.get $config) (i32.const 80))
  (call $tool (i32.const 3011) (i32.const 5) (i32.const 3009) (i32.const 2) (local.get $config) (i32.const 80))
  (call $drop (local.get $config)) (call $say))
