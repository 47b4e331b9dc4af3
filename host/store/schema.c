/* host/store/schema.c: migrations are numbered and only ever appended; PRAGMA user_version counts
 * those that ran. */
#include "host/store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sqlite3.h>

#include "common/base/error.h"
#include "host/store/sqlite.h"

enum { BUSY_TIMEOUT_MS = 5000 };

static const char *const migrations[] = {
    /* 1: jobs, runs, tokens */
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
    " id INTEGER PRIMARY KEY AUTOINCREMENT, job INTEGER NOT NULL, started_ms INTEGER NOT NULL, "
    "ended_ms INTEGER NOT NULL,"
    " device_kind INTEGER NOT NULL, model TEXT NOT NULL, model_sha256 TEXT NOT NULL, device TEXT "
    "NOT NULL, verdict TEXT NOT NULL,"
    " ratio REAL NOT NULL, directory TEXT NOT NULL);"
    "CREATE INDEX runs_job ON runs (job, id);"
    "CREATE INDEX runs_model ON runs (model, id);"
    "CREATE INDEX runs_device ON runs (device, id);"
    "CREATE TABLE tokens ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, role INTEGER NOT NULL, created_ms INTEGER NOT NULL, "
    "expires_ms INTEGER NOT NULL,"
    " name TEXT NOT NULL, sha256 TEXT NOT NULL UNIQUE);",
    /* 2: series of runs */
    "ALTER TABLE runs ADD COLUMN series TEXT NOT NULL DEFAULT '';"
    "CREATE INDEX runs_series ON runs (series, id);",
    /* 3: what a verdict means to a script; of older runs as if no threshold had been given */
    "ALTER TABLE runs ADD COLUMN exit_code INTEGER NOT NULL DEFAULT 0;"
    "UPDATE runs SET exit_code = CASE WHEN verdict = 'wrong' THEN 1"
    " WHEN verdict IN ('slower', 'more-instructions') THEN 3"
    " WHEN verdict IN ('inconclusive', 'unfit', 'incomparable') THEN 4 ELSE 0 END;",
    /* 4: what each arm took; of older runs it is not known */
    "ALTER TABLE runs ADD COLUMN baseline REAL NOT NULL DEFAULT 0;"
    "ALTER TABLE runs ADD COLUMN candidate REAL NOT NULL DEFAULT 0;",
    /* 5: figures of runs, for questions across them; those of older runs fsck --mend makes of their
       directories (figures.h). A device's times are those of its runs, 0 before the first */
    "CREATE TABLE devices ("
    " name TEXT PRIMARY KEY, kind INTEGER NOT NULL, model TEXT NOT NULL DEFAULT '',"
    " soc TEXT NOT NULL DEFAULT '', system TEXT NOT NULL DEFAULT '', cpu TEXT NOT NULL DEFAULT '',"
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
    " position INTEGER NOT NULL, name TEXT NOT NULL, category TEXT, baseline REAL, candidate REAL,"
    " delta REAL, low REAL, high REAL, p_value REAL, PRIMARY KEY (run, kind, position));",
    /* 6: who may do what, whose jobs are whose, who did what */
    "ALTER TABLE tokens ADD COLUMN scopes TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE tokens ADD COLUMN max_jobs INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE jobs ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
    "CREATE INDEX jobs_open_owner ON jobs (owner) WHERE state <= 1;"
    "CREATE TABLE audit ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, who TEXT NOT NULL,"
    " method TEXT NOT NULL, path TEXT NOT NULL, status INTEGER NOT NULL);",
    /* 7: groups of jobs */
    "CREATE TABLE job_groups ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, owner TEXT NOT NULL,"
    " created_ms INTEGER NOT NULL);"
    "ALTER TABLE jobs ADD COLUMN group_id INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX jobs_group ON jobs (group_id, id) WHERE group_id > 0;",
    /* 8: what follows of a device's probe; sme2 NULL: it is not known */
    "ALTER TABLE devices ADD COLUMN sme2 INTEGER;"
    "ALTER TABLE devices ADD COLUMN no_sme2 TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE devices ADD COLUMN svl_lengths TEXT NOT NULL DEFAULT '';",
    /* 9: until when a job waits; 0: for any time */
    "ALTER TABLE jobs ADD COLUMN deadline_ms INTEGER NOT NULL DEFAULT 0;",
    /* 10: whose kernels a run's were; "" where its job does not tell */
    "ALTER TABLE runs ADD COLUMN runtime TEXT NOT NULL DEFAULT '';"
    "UPDATE runs SET runtime = coalesce((SELECT " SL_RUNTIME_OF_CONFIG(
        "config") " FROM jobs WHERE jobs.id = runs.job), '');",
    /* 11: what people keep, and labels that they changed later; those of jobs as rows of every run
     */
    "ALTER TABLE runs ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE runs ADD COLUMN labelled INTEGER NOT NULL DEFAULT 0;"
    "INSERT OR IGNORE INTO labels (run, key, value) SELECT r.id, l.key, l.value FROM runs AS r "
    "JOIN "
    "jobs AS j ON j.id = r.job, json_each(CASE WHEN json_valid(j.config) THEN j.config ELSE '{}' "
    "END, '$.labels') AS l WHERE l.type = 'text' AND l.key IS NOT NULL;",
    /* 12: series of phones are of the phone and no longer of its name: the first phone to be
       measured under the name goes on with the series that it had */
    "ALTER TABLE runs ADD COLUMN former_series TEXT NOT NULL DEFAULT '';"
    "CREATE TRIGGER runs_go_on AFTER INSERT ON runs WHEN NEW.former_series <> '' BEGIN "
    "UPDATE runs SET series = NEW.series WHERE series = NEW.former_series AND id < NEW.id; END;"
    "CREATE INDEX runs_former ON runs (former_series, id) WHERE former_series <> '';"
    "CREATE VIEW series_taken_over AS SELECT former_series AS former, series, id AS run FROM runs "
    "WHERE former_series <> '';"
    /* an old run that comes back from its copy, whose series was taken over meanwhile */
    "CREATE TRIGGER runs_come_back AFTER INSERT ON runs WHEN EXISTS (SELECT 1 FROM "
    "series_taken_over WHERE former = NEW.series AND run > NEW.id) BEGIN UPDATE runs SET series = "
    "(SELECT series FROM series_taken_over WHERE former = NEW.series AND run > NEW.id ORDER BY run "
    "LIMIT 1) WHERE id = NEW.id; END;"
    /* a series from its oldest run to its newest, whatever order they came in */
    "CREATE INDEX runs_series_start ON runs (series, started_ms, id);",
    /* 13: jobs that begin no sooner, or after others */
    "ALTER TABLE jobs ADD COLUMN begin_ms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE jobs ADD COLUMN after_jobs TEXT NOT NULL DEFAULT '';",
};
enum { MIGRATIONS = sizeof(migrations) / sizeof(migrations[0]) };

static const char move_away[] =
    "start sme2labd once with --rebuild: it sets the file aside and makes "
    "the rows again from the runs' directories";

static int failure(sqlite3 *db, const char *path, struct sl_diag *diag)
{
    int code = sqlite3_errcode(db) & 0xff;
    int rc = code == SQLITE_NOTADB || code == SQLITE_CORRUPT ? SL_E_FORMAT : -EIO;
    sl_diag_hint(diag, "%s", move_away);
    return sl_diag_set(diag, rc, path, "the store cannot be used: %s", sqlite3_errmsg(db));
}

static int user_version(sqlite3 *db, int *out)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL);
    if (rc == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        *out = sqlite3_column_int(statement, 0);
    else
        rc = SQLITE_ERROR;
    sqlite3_finalize(statement);
    return rc;
}

int sl_schema_write(struct sl_database *database)
{
    sqlite3 *db = sl_sqlite_handle(database);
    char mark[64];
    int version = 0;
    int rc = user_version(db, &version);
    sqlite3_snprintf(sizeof(mark), mark, "PRAGMA user_version = %d", version);
    if (rc == SQLITE_OK)
        rc = sqlite3_exec(db, mark, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : sl_sqlite_code(db);
}

static int migrate(sqlite3 *db, const char *path, struct sl_diag *diag)
{
    int version = 0;
    if (user_version(db, &version) != SQLITE_OK)
        return failure(db, path, diag);
    if (version < 0 || version > MIGRATIONS) {
        sl_diag_hint(diag, "start the newer sme2labd that wrote it");
        return sl_diag_set(diag, SL_E_UNSUPPORTED, path,
                           "the store has schema %d, this program knows up to %d", version,
                           (int)MIGRATIONS);
    }
    for (; version < MIGRATIONS; version++) {
        char mark[64];
        sqlite3_snprintf(sizeof(mark), mark, "PRAGMA user_version = %d", version + 1);
        if (sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK ||
            sqlite3_exec(db, migrations[version], NULL, NULL, NULL) != SQLITE_OK ||
            sqlite3_exec(db, mark, NULL, NULL, NULL) != SQLITE_OK ||
            sqlite3_exec(db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
            return failure(db, path, diag);
    }
    return 0;
}

/* A damaged page is found now and not by the request that needs it. */
static int check_pages(sqlite3 *db, const char *path, struct sl_diag *diag)
{
    sqlite3_stmt *statement = NULL;
    char found[160] = "";
    int code = sqlite3_prepare_v2(db, "PRAGMA quick_check(1)", -1, &statement, NULL);
    if (code == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
        sqlite3_snprintf(sizeof(found), found, "%s", sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    sl_diag_hint(diag, "%s", move_away);
    if (sqlite3_strnicmp(found, "ok", sizeof(found)) != 0)
        return sl_diag_set(diag, SL_E_FORMAT, path, "the store is damaged: %s",
                           found[0] ? found : sqlite3_errmsg(db));
    sl_diag_hint(diag, "%s", "");
    return 0;
}

static int check(sqlite3 *db, const char *path, struct sl_diag *diag)
{
    int rc = check_pages(db, path, diag);
    if (rc < 0)
        return rc;
    sl_diag_hint(diag, "let this user write the file and its folder");
    if (sqlite3_db_readonly(db, "main") != 0)
        return sl_diag_set(diag, -EROFS, path, "the store can be read only");
    sl_diag_hint(diag, "%s", "");
    return 0;
}

/* For this user alone, as an earlier version's was not; SQLite gives its other files the same mode.
 */
static int make_private(const char *path, struct sl_diag *diag)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0 && (errno == EROFS || errno == EACCES))
        return 0; /* check() has the words for it */
    int rc = fd < 0 || fchmod(fd, 0600) < 0 ? -errno : 0;
    if (fd >= 0)
        close(fd);
    return rc < 0 ? sl_diag_set(diag, rc, path, "the store cannot be made private: %s",
                                sl_strerror(rc))
                  : 0;
}

int sl_schema_open(const char *path, struct sl_database **out, struct sl_diag *diag)
{
    sqlite3 *db = NULL;
    int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
    int rc = make_private(path, diag);
    if (rc < 0)
        return rc;
    if (sqlite3_open_v2(path, &db, flags, NULL) != SQLITE_OK ||
        sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS) != SQLITE_OK ||
        sqlite3_exec(db,
                     "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA trusted_schema=OFF; "
                     "PRAGMA cache_size=-2048; PRAGMA foreign_keys=ON;",
                     NULL, NULL, NULL) != SQLITE_OK)
        rc = failure(db, path, diag);
    if (rc == 0)
        rc = check(db, path, diag);
    if (rc == 0)
        rc = migrate(db, path, diag);
    if (rc < 0) {
        sqlite3_close(db);
        return rc;
    }
    return sl_sqlite_wrap(db, out);
}

int sl_schema_check(const char *path, struct sl_diag *diag)
{
    sqlite3 *db = NULL;
    if (access(path, F_OK) < 0 && errno == ENOENT)
        return 0;
    int rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    rc = rc != SQLITE_OK || sqlite3_busy_timeout(db, BUSY_TIMEOUT_MS) != SQLITE_OK
             ? failure(db, path, diag)
             : check_pages(db, path, diag);
    sqlite3_close(db);
    return rc;
}
