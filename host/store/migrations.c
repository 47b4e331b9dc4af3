/* host/store/migrations.c: numbered, and only ever appended. */
#include "host/store/migrations.h"

#include <stddef.h>

#include "common/base/error.h"
#include "host/store/database.h"
#include "host/store/documents.h"
#include "host/store/statement.h"

/* Each in words that both kinds of database have once types are named as theirs (dialect.h), and
 * what each of them needs of its own: rows of earlier versions are in files of SQLite alone. */
static const struct {
    const char *both, *sqlite, *postgres;
} migrations[] = {
    /* 1: jobs, runs, tokens */
    {.both =
         "CREATE TABLE jobs ("
         " id INTEGER PRIMARY KEY AUTOINCREMENT, state INTEGER NOT NULL, cause INTEGER NOT NULL, "
         "priority INTEGER NOT NULL,"
         " attempts INTEGER NOT NULL, submitted_ms INTEGER NOT NULL, started_ms INTEGER NOT NULL, "
         "ended_ms INTEGER NOT NULL,"
         " lease_until_ms INTEGER NOT NULL, run INTEGER NOT NULL, cancel_wanted INTEGER NOT NULL, "
         "selector TEXT NOT NULL,"
         " device TEXT NOT NULL, detail TEXT NOT NULL, config TEXT NOT NULL, idempotency_key TEXT "
         "UNIQUE);"
         "CREATE INDEX jobs_open ON jobs (id) WHERE state <= 1;"
         "CREATE INDEX jobs_state ON jobs (state, id);"
         "CREATE TABLE runs ("
         " id INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL, started_ms INTEGER NOT "
         "NULL, "
         "ended_ms INTEGER NOT NULL,"
         " device_kind INTEGER NOT NULL, model TEXT NOT NULL, model_sha256 TEXT NOT NULL, device "
         "TEXT "
         "NOT NULL, verdict TEXT NOT NULL,"
         " ratio REAL NOT NULL, directory TEXT NOT NULL);"
         "CREATE INDEX runs_job ON runs (job, id);"
         "CREATE INDEX runs_model ON runs (model, id);"
         "CREATE INDEX runs_device ON runs (device, id);"
         "CREATE TABLE tokens ("
         " id INTEGER PRIMARY KEY AUTOINCREMENT, role INTEGER NOT NULL, created_ms INTEGER NOT "
         "NULL, "
         "expires_ms INTEGER NOT NULL,"
         " name TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE);"},
    /* 2: series of runs */
    {.both = "ALTER TABLE runs ADD COLUMN series TEXT NOT NULL DEFAULT '';"
             "CREATE INDEX runs_series ON runs (series, id);"},
    /* 3: what a verdict means to a script; of older runs as if no threshold had been given */
    {.both = "ALTER TABLE runs ADD COLUMN exit_code INTEGER NOT NULL DEFAULT 0;"
             "UPDATE runs SET exit_code = CASE WHEN verdict = 'wrong' THEN 1"
             " WHEN verdict IN ('slower', 'more-instructions') THEN 3"
             " WHEN verdict IN ('inconclusive', 'unfit', 'incomparable') THEN 4 ELSE 0 END;"},
    /* 4: what each arm took; of older runs it is not known */
    {.both = "ALTER TABLE runs ADD COLUMN baseline REAL NOT NULL DEFAULT 0;"
             "ALTER TABLE runs ADD COLUMN candidate REAL NOT NULL DEFAULT 0;"},
    /* 5: figures of runs, for questions across them; those of older runs fsck --mend makes of their
       directories (figures.h). A device's times are those of its runs, 0 before the first */
    {.both =
         "CREATE TABLE devices ("
         " name TEXT PRIMARY KEY, kind INTEGER NOT NULL, model TEXT NOT NULL DEFAULT '',"
         " soc TEXT NOT NULL DEFAULT '', system TEXT NOT NULL DEFAULT '', cpu TEXT NOT NULL "
         "DEFAULT '',"
         " fingerprint TEXT NOT NULL DEFAULT '', isa TEXT NOT NULL DEFAULT '',"
         " svl_bits INTEGER NOT NULL DEFAULT 0, memory_bytes INTEGER NOT NULL DEFAULT 0,"
         " first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL);"
         "CREATE TABLE attempts ("
         " job INTEGER NOT NULL, number INTEGER NOT NULL, device TEXT NOT NULL,"
         " started_ms INTEGER NOT NULL, ended_ms INTEGER NOT NULL, cause INTEGER NOT NULL,"
         " detail TEXT NOT NULL, run INTEGER NOT NULL, PRIMARY KEY (job, number));"
         "CREATE TABLE labels ("
         " run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, key TEXT NOT NULL,"
         " value TEXT NOT NULL, PRIMARY KEY (run, key));"
         "CREATE INDEX labels_value ON labels (key, value, run);"
         "CREATE VIEW commits AS SELECT labels.value AS name, count(*) AS runs,"
         " min(runs.started_ms) AS first_ms, max(runs.started_ms) AS last_ms"
         " FROM labels JOIN runs ON runs.id = labels.run WHERE labels.key = 'commit'"
         " GROUP BY labels.value;"
         "CREATE TABLE variants ("
         " run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, variant TEXT NOT NULL,"
         " unit TEXT NOT NULL, n INTEGER NOT NULL, median REAL, mean REAL, min REAL, max REAL,"
         " stddev REAL, PRIMARY KEY (run, variant));"
         "CREATE TABLE categories ("
         " run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, variant TEXT NOT NULL,"
         " category TEXT NOT NULL, n INTEGER NOT NULL, median REAL NOT NULL,"
         " PRIMARY KEY (run, variant, category));"
         "CREATE TABLE operators ("
         " run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, variant TEXT NOT NULL,"
         " position INTEGER NOT NULL, name TEXT NOT NULL, category TEXT NOT NULL, origin TEXT,"
         " kernel TEXT, delegate TEXT, instances INTEGER NOT NULL, n INTEGER NOT NULL, median REAL,"
         " mean REAL, min REAL, max REAL, stddev REAL, PRIMARY KEY (run, variant, position));"
         "CREATE INDEX operators_name ON operators (name, run);"
         "CREATE TABLE changes ("
         " run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, kind TEXT NOT NULL,"
         " position INTEGER NOT NULL, name TEXT NOT NULL, category TEXT, baseline REAL, candidate "
         "REAL,"
         " delta REAL, low REAL, high REAL, p_value REAL, PRIMARY KEY (run, kind, position));"},
    /* 6: who may do what, whose jobs are whose, who did what */
    {.both = "ALTER TABLE tokens ADD COLUMN scopes TEXT NOT NULL DEFAULT '';"
             "ALTER TABLE tokens ADD COLUMN max_jobs INTEGER NOT NULL DEFAULT 0;"
             "ALTER TABLE jobs ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
             "CREATE INDEX jobs_open_owner ON jobs (owner) WHERE state <= 1;"
             "CREATE TABLE audit ("
             " id INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, who TEXT NOT NULL,"
             " method TEXT NOT NULL, path TEXT NOT NULL, status INTEGER NOT NULL);"},
    /* 7: groups of jobs */
    {.both = "CREATE TABLE job_groups ("
             " id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, owner TEXT NOT NULL,"
             " created_ms INTEGER NOT NULL);"
             "ALTER TABLE jobs ADD COLUMN group_id INTEGER NOT NULL DEFAULT 0;"
             "CREATE INDEX jobs_group ON jobs (group_id, id) WHERE group_id > 0;"},
    /* 8: what follows of a device's probe; sme2 NULL: it is not known */
    {.both = "ALTER TABLE devices ADD COLUMN sme2 INTEGER;"
             "ALTER TABLE devices ADD COLUMN no_sme2 TEXT NOT NULL DEFAULT '';"
             "ALTER TABLE devices ADD COLUMN svl_lengths TEXT NOT NULL DEFAULT '';"},
    /* 9: until when a job waits; 0: for any time */
    {.both = "ALTER TABLE jobs ADD COLUMN deadline_ms INTEGER NOT NULL DEFAULT 0;"},
    /* 10: whose kernels a run's were; "" where its job does not tell */
    {.both = "ALTER TABLE runs ADD COLUMN runtime TEXT NOT NULL DEFAULT '';",
     .sqlite = "UPDATE runs SET runtime = coalesce((SELECT " SL_RUNTIME_OF_CONFIG(
         "config") " FROM jobs WHERE jobs.id = runs.job), '');"},
    /* 11: what people keep, and labels that they changed later; those of jobs as rows of every run
     */
    {.both = "ALTER TABLE runs ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;"
             "ALTER TABLE runs ADD COLUMN labelled INTEGER NOT NULL DEFAULT 0;",
     .sqlite = "INSERT OR IGNORE INTO labels (run, key, value) SELECT r.id, l.key, l.value FROM "
               "runs AS r "
               "JOIN "
               "jobs AS j ON j.id = r.job, json_each(CASE WHEN json_valid(j.config) THEN j.config "
               "ELSE '{}' "
               "END, '$.labels') AS l WHERE l.type = 'text' AND l.key IS NOT NULL;"},
    /* 12: series of phones are of the phone and no longer of its name: the first phone to be
       measured under the name goes on with the series that it had */
    {.both = "ALTER TABLE runs ADD COLUMN former_series TEXT NOT NULL DEFAULT '';"
             "CREATE INDEX runs_former ON runs (former_series, id) WHERE former_series <> '';"
             "CREATE VIEW series_taken_over AS SELECT former_series AS former, series, id AS run "
             "FROM runs "
             "WHERE former_series <> '';"
             /* a series from its oldest run to its newest, whatever order they came in */
             "CREATE INDEX runs_series_start ON runs (series, started_ms, id);",
     .sqlite = "CREATE TRIGGER runs_go_on AFTER INSERT ON runs WHEN NEW.former_series <> '' BEGIN "
               "UPDATE runs SET series = NEW.series WHERE series = NEW.former_series AND id < "
               "NEW.id; END;"
               /* an old run that comes back from its copy, whose series was taken over meanwhile */
               "CREATE TRIGGER runs_come_back AFTER INSERT ON runs WHEN EXISTS (SELECT 1 FROM "
               "series_taken_over WHERE former = NEW.series AND run > NEW.id) BEGIN UPDATE runs "
               "SET series = "
               "(SELECT series FROM series_taken_over WHERE former = NEW.series AND run > NEW.id "
               "ORDER BY run "
               "LIMIT 1) WHERE id = NEW.id; END;",
     .postgres =
         "CREATE FUNCTION runs_go_on() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN "
         "UPDATE runs SET series = NEW.series WHERE series = NEW.former_series AND id < NEW.id; "
         "RETURN NULL; END $body$;"
         "CREATE TRIGGER runs_go_on AFTER INSERT ON runs FOR EACH ROW WHEN (NEW.former_series <> "
         "'') "
         "EXECUTE FUNCTION runs_go_on();"
         "CREATE FUNCTION runs_come_back() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN "
         "UPDATE runs SET series = s.series FROM (SELECT series FROM series_taken_over WHERE "
         "former = "
         "NEW.series AND run > NEW.id ORDER BY run LIMIT 1) AS s WHERE id = NEW.id; RETURN NULL; "
         "END $body$;"
         "CREATE TRIGGER runs_come_back AFTER INSERT ON runs FOR EACH ROW EXECUTE FUNCTION "
         "runs_come_back();"},
    /* 13: jobs that begin no sooner, or after others */
    {.both = "ALTER TABLE jobs ADD COLUMN begin_ms INTEGER NOT NULL DEFAULT 0;"
             "ALTER TABLE jobs ADD COLUMN after_jobs TEXT NOT NULL DEFAULT '';"},
    /* 14: which database this is; who writes it, and with which of its transactions it was last */
    {.both =
         "CREATE TABLE store_identity (id TEXT NOT NULL);"
         "CREATE TABLE writers (id TEXT PRIMARY KEY, batch INTEGER NOT NULL, wrote_ms INTEGER NOT "
         "NULL);",
     .sqlite = "INSERT INTO store_identity (id) VALUES (lower(hex(randomblob(16))));",
     .postgres =
         "INSERT INTO store_identity (id) VALUES (replace(CAST(gen_random_uuid() AS "
         "TEXT), '-', ''));"
         /* as SQLite has it, for questions */
         "CREATE FUNCTION unixepoch(moment TEXT) RETURNS BIGINT LANGUAGE sql STABLE AS $body$ "
         "SELECT "
         "CAST(extract(epoch FROM CAST(moment || ' UTC' AS TIMESTAMPTZ)) AS BIGINT) $body$;"},
    /* 15: hosts that share the jobs: who has one, who changed its row last, and when */
    {.both =
         "ALTER TABLE jobs ADD COLUMN host TEXT NOT NULL DEFAULT '';"
         "ALTER TABLE jobs ADD COLUMN written_ms INTEGER NOT NULL DEFAULT 0;"
         "ALTER TABLE jobs ADD COLUMN changed_by TEXT NOT NULL DEFAULT '';"
         "CREATE INDEX jobs_changed ON jobs (written_ms, id);"
         "ALTER TABLE attempts ADD COLUMN host TEXT NOT NULL DEFAULT '';"
         "ALTER TABLE runs ADD COLUMN host TEXT NOT NULL DEFAULT '';"
         "CREATE TABLE hosts ("
         " name TEXT PRIMARY KEY, address TEXT NOT NULL, started_ms INTEGER NOT NULL,"
         " seen_ms INTEGER NOT NULL);"
         "CREATE TABLE host_devices ("
         " host TEXT NOT NULL, name TEXT NOT NULL, kind INTEGER NOT NULL, state INTEGER NOT NULL,"
         " job INTEGER NOT NULL, cause INTEGER NOT NULL, detail TEXT NOT NULL, tags TEXT NOT NULL,"
         " cpu TEXT NOT NULL, model TEXT NOT NULL, soc TEXT NOT NULL, system TEXT NOT NULL,"
         " sme2 INTEGER NOT NULL, no_sme2 TEXT NOT NULL, svl_bits INTEGER NOT NULL,"
         " svl_lengths TEXT NOT NULL, memory_bytes INTEGER NOT NULL, noted_ms INTEGER NOT NULL,"
         " PRIMARY KEY (host, name));"},
    /* 16: how a device is: other hosts' are shown as well */
    {.both = "ALTER TABLE host_devices ADD COLUMN temperature_celsius INTEGER NOT NULL DEFAULT 0;"
             "ALTER TABLE host_devices ADD COLUMN warmest TEXT NOT NULL DEFAULT '';"
             "ALTER TABLE host_devices ADD COLUMN battery_percent INTEGER NOT NULL DEFAULT 0;"
             "ALTER TABLE host_devices ADD COLUMN power_saver INTEGER NOT NULL DEFAULT 0;"
             "ALTER TABLE host_devices ADD COLUMN looked_ms INTEGER NOT NULL DEFAULT 0;"},
    /* 17: where hosts reach each other, and how they show who they are */
    {.both = "ALTER TABLE hosts ADD COLUMN url TEXT NOT NULL DEFAULT '';"
             "ALTER TABLE hosts ADD COLUMN token_sha256 TEXT NOT NULL DEFAULT '';"},
    /* 18: a column for each of a device's record; how many jobs wait is not told (host_table.c) */
    {.both = "ALTER TABLE host_devices ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;"},
    /* 19: which directory a host has at STATE/runs: those with the same one share it */
    {.both = "ALTER TABLE hosts ADD COLUMN runs_id TEXT NOT NULL DEFAULT '';"
             "CREATE VIEW host_directories AS SELECT name AS host, runs_id AS directory, seen_ms "
             "AS heard_ms FROM hosts WHERE runs_id <> '';"},
};
enum { MIGRATIONS = sizeof(migrations) / sizeof(migrations[0]) };

static int run_one(struct sl_database *db, int number)
{
    const char *own = db->shared ? migrations[number].postgres : migrations[number].sqlite;
    int rc = db->kind->define(db, migrations[number].both);
    if (rc == 0 && own)
        rc = sl_database_exec(db, own);
    return rc == 0 ? db->kind->set_version(db, number + 1) : rc;
}

static int failure(struct sl_database *db, int rc, const char *where, struct sl_diag *diag)
{
    return sl_diag_set(diag, rc, where, "the store cannot be used: %s", db->kind->message(db));
}

/* The version may be another by now: several daemons may begin at once. *out_version is the one
 * that there is after it. */
static int run_next(struct sl_database *db, int *out_version)
{
    int rc = db->kind->begin_schema(db);
    if (rc == 0)
        rc = db->kind->version(db, out_version);
    if (rc == 0 && *out_version >= 0 && *out_version < MIGRATIONS) {
        rc = run_one(db, *out_version);
        *out_version += rc == 0;
    }
    return rc == 0 ? sl_database_exec(db, "COMMIT") : rc;
}

static int read_identity(struct sl_database *db)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT id FROM store_identity");
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        sl_statement_text(&statement, 0, db->identity, sizeof(db->identity));
    sl_statement_fini(&statement);
    return rc < 0 ? rc : 0;
}

int sl_migrations_run(struct sl_database *db, const char *where, struct sl_diag *diag)
{
    int version = 0;
    int rc = db->kind->version(db, &version);
    while (rc == 0 && version >= 0 && version < MIGRATIONS)
        rc = run_next(db, &version);
    if (rc < 0)
        return failure(db, rc, where, diag);
    if (version != MIGRATIONS) {
        sl_diag_hint(diag, "start the newer sme2labd that wrote it");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, where,
                           "the store has schema %d, this program knows up to %d", version,
                           (int)MIGRATIONS);
    }
    rc = read_identity(db);
    return rc < 0 ? failure(db, rc, where, diag) : 0;
}

bool sl_migrations_are_due(struct sl_database *db)
{
    int version = MIGRATIONS;
    return db->kind->version(db, &version) == 0 && version < MIGRATIONS;
}
