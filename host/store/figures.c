/* host/store/figures.c */
#include "host/store/figures.h"

#include <errno.h>
#include <stddef.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/records.h"
#include "host/store/database.h"
#include "host/store/documents.h"
#include "host/store/label_table.h"
#include "host/store/run_file.h"
#include "host/store/statement.h"

enum { MAX_SUMMARY_BYTES = 64 << 20, MAX_MANIFEST_BYTES = 16 << 20 };

/* Labels that a person changed stay. */
static const char clear[] =
    "DELETE FROM labels WHERE run = ?1 AND (SELECT labelled FROM runs WHERE "
    "id = ?1) = 0",
                  *const clear_figures[] = {
                      "DELETE FROM variants WHERE run = ?1",
                      "DELETE FROM categories WHERE run = ?1",
                      "DELETE FROM operators WHERE run = ?1",
                      "DELETE FROM changes WHERE run = ?1",
};

static const char labels[] =
    "SELECT key, value FROM json_each(CASE WHEN json_valid(?1) THEN ?1 ELSE '{}' END, '$.labels') "
    "WHERE type = 'text' AND " SL_SQL_IS_LABEL SL_SQL_LABELS_END;
static const char add_label[] =
    "INSERT INTO labels (run, key, value) SELECT id, ?2, ?3 FROM runs WHERE id = ?1 AND labelled = "
    "0 ON CONFLICT (run, key) DO NOTHING";

/* ?1: the manifest. A device is what it was at its newest run. */
static const char device[] =
    "SELECT coalesce(json_extract(?1, '$.device.cpu'), ''), coalesce(json_extract(?1, "
    "'$.device.probe.fingerprint'), ''), coalesce((SELECT group_concat(value, ' ') FROM "
    "json_each(?1, '$.device.probe.isa')), ''), coalesce(8 * json_extract(?1, "
    "'$.device.probe.svl_bytes'), 0), coalesce(json_extract(?1, "
    "'$.device.probe.memory.total_bytes'), 0)";
static const char note_device[] =
    "INSERT INTO devices (name, kind, cpu, fingerprint, isa, svl_bits, memory_bytes, first_ms, "
    "last_ms) SELECT device, device_kind, ?2, ?3, ?4, ?5, ?6, started_ms, started_ms FROM runs "
    "WHERE id = ?1 ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, cpu = "
    "excluded.cpu, fingerprint = excluded.fingerprint, isa = excluded.isa, svl_bits = "
    "excluded.svl_bits, memory_bytes = excluded.memory_bytes, last_ms = excluded.last_ms WHERE "
    "excluded.last_ms >= devices.last_ms";
static const char device_since[] =
    "UPDATE devices SET first_ms = (SELECT started_ms FROM runs WHERE id = ?1) WHERE name = "
    "(SELECT device FROM runs WHERE id = ?1) AND (first_ms = 0 OR first_ms > (SELECT started_ms "
    "FROM runs WHERE id = ?1))";

/* ?1: the summary. Analyses stand in the order off, on; the suffix of a key is its
 * unit. */
#define VARIANT "CASE a.key WHEN 0 THEN 'off' ELSE 'on' END"
#define ANALYSES " FROM json_each(?1, '$.analyses') AS a"
#define MEASURED " WHERE a.key < 2"
#define IN_UNIT(row, key)                                                                          \
    "coalesce(json_extract(" row ".value, '$." key "_ns'), json_extract(" row ".value, '$." key    \
    "_insns'))"
#define FIVE(row, at)                                                                              \
    IN_UNIT(row, at ".median")                                                                     \
    ", " IN_UNIT(row, at ".mean") ", " IN_UNIT(row, at ".min") ", " IN_UNIT(                       \
        row, at ".max") ", " IN_UNIT(row, at ".stddev")
#define CHANGES(kind, position, name, category, from)                                              \
    "SELECT '" kind "', " position ", " name ", " category                                         \
    ", " IN_UNIT("c", "baseline") ", " IN_UNIT("c", "candidate") ", " IN_UNIT(                     \
        "c", "delta") ", json_extract(c.value, '$.interval_ns[0]'), json_extract(c.value, "        \
                      "'$.interval_ns[1]'), "                                                      \
                      "json_extract(c.value, '$.p_value') FROM " from
#define TEXT(row, key) "json_extract(" row ".value, '$." key "')"

/* The median over measured runs: of an even number the mean of the two in the middle. */
#define EACH "(PARTITION BY a.key, c.key ORDER BY c.value)"
#define ALL "(PARTITION BY a.key, c.key)"
#define IS_NOT(key) " AND NOT json_extract(r.value, '$." key "')"
#define CATEGORY_ROWS ", json_each(a.value, '$.runs') AS r, json_each(" IN_UNIT("r", "categories")
#define MEDIANS_OF_CATEGORIES                                                                      \
    "SELECT variant, category, n, avg(figure) FROM (SELECT " VARIANT                               \
    " AS variant, c.key AS category, c.value AS figure, "                                          \
    "row_number() OVER " EACH " AS place, count(*) OVER " ALL " AS n" ANALYSES CATEGORY_ROWS       \
    ") AS c" MEASURED IS_NOT("warmup") IS_NOT("cold") ") WHERE place IN ((n + 1) / 2, "            \
                                                      "(n + 2) / 2) GROUP BY variant, category, n"

#define ADD_CHANGE                                                                                 \
    "INSERT INTO changes (run, kind, position, name, category, baseline, candidate, delta, low, "  \
    "high, p_value) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"

static const struct {
    const char *select, *insert;
} figures[] = {
    {"SELECT " VARIANT ", " TEXT("a", "time_unit") ", " TEXT("a", "latency.n") ", " FIVE(
         "a", "latency") ANALYSES MEASURED,
     "INSERT INTO variants (run, variant, unit, n, median, mean, min, max, stddev) VALUES (?, ?, "
     "?, ?, ?, ?, ?, ?, ?)"},
    {MEDIANS_OF_CATEGORIES,
     "INSERT INTO categories (run, variant, category, n, median) VALUES (?, ?, ?, ?, ?)"},
    {"SELECT " VARIANT
     ", o.key, " TEXT("o", "name") ", " TEXT("o", "category") ", " TEXT("o", "origin") ", " TEXT(
         "o",
         "kernel") ", " TEXT("o",
                             "delegate") ", " TEXT("o",
                                                   "instances") ", " TEXT("o",
                                                                          "self.n") ", " FIVE("o",
                                                                                              "sel"
                                                                                              "f")
         ANALYSES ", json_each(a.value, '$.operators') AS o" MEASURED,
     "INSERT INTO operators (run, variant, position, name, category, origin, kernel, delegate, "
     "instances, n, median, mean, min, max, stddev) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
     "?, ?)"},
    {CHANGES("total", "0", "'end to end'", "NULL",
             "(SELECT json_extract(?1, '$.comparison.end_to_end') AS value) AS c WHERE c.value IS "
             "NOT NULL"),
     ADD_CHANGE},
    {CHANGES("category", "c.key", TEXT("c", "name"), TEXT("c", "name"),
             "json_each(?1, '$.comparison.categories') AS c"),
     ADD_CHANGE},
    {CHANGES("operator", "c.key", TEXT("c", "name"), TEXT("c", "category"),
             "json_each(?1, '$.comparison.operators') AS c"),
     ADD_CHANGE},
};

static int run_sql(struct sl_database *db, const char *sql, uint64_t run)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, sql);
    sl_statement_bind_u64(&statement, run);
    int rc = sl_statement_step(&statement);
    sl_statement_fini(&statement);
    return rc;
}

/* A file of the directory, checked to be JSON. 0, SL_E_NOT_FOUND, SL_E_FORMAT, ... */
static int read_json(struct sl_database *db, const char *directory, const char *name, size_t limit,
                     struct sl_buf *out)
{
    int rc = sl_run_file_read(db->root, directory, name, limit, out);
    if (rc < 0)
        return rc;
    rc = sl_document_is_json(db, out->size > 0 ? (const char *)out->data : "");
    if (rc == 1)
        return 0;
    sl_buf_fini(out);
    return rc == 0 ? SL_E_FORMAT : rc;
}

static int directory_of(struct sl_database *db, uint64_t run, char out[SL_PATH_BYTES])
{
    struct sl_statement statement;
    sl_statement_init(&statement, db, "SELECT directory FROM runs WHERE id = ?");
    sl_statement_bind_u64(&statement, run);
    int rc = sl_statement_step(&statement);
    if (rc == 1)
        sl_statement_text(&statement, 0, out, SL_PATH_BYTES);
    sl_statement_fini(&statement);
    return rc == 1 ? 0 : rc == 0 ? SL_E_NOT_FOUND : rc;
}

/* A run may have no job that is known. */
static int fill_labels(struct sl_database *db, uint64_t run)
{
    struct sl_statement statement;
    sl_statement_init(&statement, db,
                      "SELECT config FROM jobs WHERE id = (SELECT job FROM runs WHERE id = ?)");
    sl_statement_bind_u64(&statement, run);
    struct sl_value config;
    int rc = sl_statement_step(&statement);
    if (rc == 1) {
        sl_statement_value(&statement, 0, &config);
        rc = sl_document_carry(db, labels, config.text, add_label, run);
    }
    sl_statement_fini(&statement);
    return rc;
}

static int fill_description(struct sl_database *db, const char *directory, uint64_t run)
{
    struct sl_buf manifest;
    int found = read_json(db, directory, "manifest.json", MAX_MANIFEST_BYTES, &manifest);
    const char *text = found == 0 ? (const char *)manifest.data : "{}";
    int rc = run_sql(db, clear, run);
    if (rc == 0)
        rc = fill_labels(db, run);
    if (rc == 0)
        rc = sl_document_carry(db, device, text, note_device, run);
    if (rc == 0)
        rc = run_sql(db, device_since, run);
    if (found == 0)
        sl_buf_fini(&manifest);
    return rc;
}

/* 0, or SL_E_FORMAT: there was no analysis in the summary. */
static int has_figures(struct sl_database *db, uint64_t run)
{
    int rc = run_sql(db, "SELECT 1 FROM variants WHERE run = ?1", run);
    return rc == 1 ? 0 : rc == 0 ? SL_E_FORMAT : rc;
}

static int fill_figures(struct sl_database *db, uint64_t run, const char *summary)
{
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < sizeof(clear_figures) / sizeof(clear_figures[0]); i++)
        rc = run_sql(db, clear_figures[i], run);
    for (size_t i = 0; rc == 0 && i < sizeof(figures) / sizeof(figures[0]); i++)
        rc = sl_document_carry(db, figures[i].select, summary, figures[i].insert, run);
    return rc == 0 ? has_figures(db, run) : rc;
}

int sl_figures_fill(struct sl_database *db, uint64_t run)
{
    char directory[SL_PATH_BYTES];
    struct sl_buf summary;
    int rc = directory_of(db, run, directory);
    if (rc < 0)
        return rc;
    rc = sl_database_part_begin(db);
    if (rc == 0)
        rc = sl_database_part_end(db, fill_description(db, directory, run));
    if (rc == 0)
        rc = read_json(db, directory, SL_FIGURES_FILE, MAX_SUMMARY_BYTES, &summary);
    if (rc < 0)
        return rc;
    rc = sl_database_part_begin(db);
    if (rc == 0)
        rc = sl_database_part_end(db, fill_figures(db, run, (const char *)summary.data));
    sl_buf_fini(&summary);
    return rc;
}
