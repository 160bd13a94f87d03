;; worlds: investigator
;; does: cites the invocation of another run, whose id it guessed right
;; ends by: the gatekeeper, which rejects all that it claims
;; run: yes
;; says: {"answer_version":"executor_evidence_v2","claims":[{"claim_id":"c1","text":"checkout is slow","evidence_bindings":[{"source_invocation_id":"{{id}}","tool_name":"look","raw_path":"$.status","matched_text":"checkout is slow"}]}]}
(func $respond (param $input i32) (param $length i32) (param $config i32) (result i32)
  (call $drop (local.get $config)) (call $say))
