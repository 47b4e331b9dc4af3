-- A store of schema 1 with rows, as the version that had it left it.
BEGIN TRANSACTION;
CREATE TABLE jobs ( id INTEGER PRIMARY KEY AUTOINCREMENT, state INTEGER NOT NULL, cause INTEGER NOT NULL, priority INTEGER NOT NULL, attempts INTEGER NOT NULL, submitted_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL, lease_until_ms INTEGER NOT NULL, run INTEGER NOT NULL, cancel_wanted INTEGER NOT NULL, selector TEXT NOT NULL, device TEXT NOT NULL, detail TEXT NOT NULL, config TEXT NOT NULL, idempotency_key TEXT UNIQUE);
INSERT INTO "jobs" VALUES(7,2,0,-3,1,1000,2000,3000,0,5,0,'phone-1','phone-1','','{"model":"m","labels":{"commit":"abc"}}','key-1');
INSERT INTO "jobs" VALUES(8,0,0,0,0,4000,0,0,0,0,0,'','','waits','{}',NULL);
CREATE TABLE runs ( id INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL, started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL, device_kind INTEGER NOT NULL, model TEXT NOT NULL, model_sha256 TEXT NOT NULL, device TEXT NOT NULL, verdict TEXT NOT NULL, ratio REAL NOT NULL, directory TEXT NOT NULL);
INSERT INTO "runs" VALUES(5,7,2000,3000,1,'toy','1111111111111111111111111111111111111111111111111111111111111111','phone-1','slower',0.5,'runs/2026-11-23/101010.123-7');
CREATE TABLE tokens ( id INTEGER PRIMARY KEY AUTOINCREMENT, role INTEGER NOT NULL, created_ms INTEGER NOT NULL, expires_ms INTEGER NOT NULL, name TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE);
INSERT INTO "tokens" VALUES(3,2,1000,0,'ci','2222222222222222222222222222222222222222222222222222222222222222');
CREATE INDEX jobs_open ON jobs (id) WHERE state <= 1;
CREATE INDEX jobs_state ON jobs (state, id);
CREATE INDEX runs_job ON runs (job, id);
CREATE INDEX runs_model ON runs (model, id);
CREATE INDEX runs_device ON runs (device, id);
INSERT INTO "sqlite_sequence" VALUES('jobs',8);
INSERT INTO "sqlite_sequence" VALUES('runs',5);
INSERT INTO "sqlite_sequence" VALUES('tokens',3);
COMMIT;
PRAGMA user_version = 1;
