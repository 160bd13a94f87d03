;; worlds: investigator
;; does: calls a tool, and cites an invocation that it made up
;; ends by: the gatekeeper, which rejects all that it claims
;; run: yes
;; says: {"answer_version":"executor_evidence_v2","claims":[{"claim_id":"c1","text":"checkout is slow","evidence_bindings":[{"source_invocation_id":"inv-00000000-0000-7000-8000-000000000001","tool_name":"look","raw_path":"$.status","matched_text":"checkout is slow"}]}]}
(data (i32.const 3000) "look{}")
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $tool (i32.const 3000) (i32.const 4) (i32.const 3004) (i32.const 2) (local.get $config) (i32.const 80))
  (call $drop (local.get $config)) (call $say))
