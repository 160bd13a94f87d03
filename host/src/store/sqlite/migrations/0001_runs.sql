-- A run and what it leaves behind. STRICT, so that a column holds what it says. Times are Unix milliseconds.

CREATE TABLE run (
    run_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('RUNNING', 'SUCCESS', 'FAILED')),
    created_ms INTEGER NOT NULL,
    finished_ms INTEGER,
    verdict TEXT,
    failure_reason TEXT,
    question TEXT NOT NULL,
    answer TEXT,
    nodes TEXT NOT NULL,   -- JSON
    metrics TEXT NOT NULL, -- JSON
    CHECK ((status = 'RUNNING') = (finished_ms IS NULL)),
    CHECK ((status = 'SUCCESS') = (answer IS NOT NULL)),
    CHECK ((status = 'FAILED') = (failure_reason IS NOT NULL))
) STRICT;

CREATE INDEX run_by_age ON run (created_ms, run_id);
CREATE INDEX run_by_session ON run (session_id, created_ms, run_id);
CREATE INDEX run_unfinished ON run (run_id) WHERE status = 'RUNNING';

-- An attempt always leaves its event; one of an agent node leaves its step too. They are two records, each with a view
-- of its own, in one row: half the writes, and no step without its event.
CREATE TABLE attempt (
    run_id TEXT NOT NULL REFERENCES run,
    seq INTEGER NOT NULL,
    node TEXT NOT NULL,
    round INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    outcome TEXT NOT NULL,
    reason_code TEXT NOT NULL,
    started_ms INTEGER,
    duration_ms INTEGER,
    input_sha256 TEXT,
    input_bytes INTEGER,
    output_bytes INTEGER,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE VIEW event AS
    SELECT run_id, seq, node, round, attempt, outcome, reason_code FROM attempt;

CREATE VIEW agent_step AS
    SELECT run_id, seq, node, round, attempt, outcome, reason_code,
        started_ms, duration_ms, input_sha256, input_bytes, output_bytes
    FROM attempt WHERE started_ms IS NOT NULL;

-- The gatekeeper's result of a round, and the claims that passed.
CREATE TABLE gate_round (
    run_id TEXT NOT NULL REFERENCES run,
    round INTEGER NOT NULL,
    checked_bindings TEXT NOT NULL, -- JSON
    claims TEXT NOT NULL,           -- JSON
    PRIMARY KEY (run_id, round)
) STRICT;

-- The ledger. The body comes last, so that reading the rest does not touch its pages.
CREATE TABLE tool_invocation (
    entry INTEGER PRIMARY KEY, -- the order of recording
    run_id TEXT NOT NULL REFERENCES run,
    invocation_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    status TEXT NOT NULL,
    truncated INTEGER NOT NULL,
    output_bytes INTEGER NOT NULL,
    output_sha256 TEXT NOT NULL,
    original_bytes INTEGER NOT NULL,
    started_ms INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    arguments TEXT NOT NULL,
    output BLOB NOT NULL,
    UNIQUE (invocation_id, run_id)
) STRICT;

CREATE INDEX tool_invocation_by_run ON tool_invocation (run_id);

-- The audit of a finished run: a record apart, so that no list and no session can show it by accident.
CREATE TABLE orchestration_trace (
    run_id TEXT PRIMARY KEY REFERENCES run,
    trace TEXT NOT NULL -- JSON
) STRICT, WITHOUT ROWID;

CREATE TABLE evaluation (
    run_id TEXT NOT NULL REFERENCES run,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    figures TEXT NOT NULL, -- JSON
    PRIMARY KEY (run_id, name)
) STRICT, WITHOUT ROWID;
