/* host/store/losses.c */
#include "host/store/losses.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/base/error.h"
#include "common/base/log.h"
#include "host/records.h"
#include "host/store/check.h"
#include "host/store/database.h"
#include "host/store/findings.h"
#include "host/store/numbers.h"

/* The number that a table gave out last; 0: none. */
static uint64_t last_of(struct sl_database *db, const char *table)
{
    uint64_t last = 0;
    return db->kind->last_number(db, table, &last) == 0 ? last : 0;
}

/* Restores rows that the database lost from the run directories. */
static int make_rows_again(struct sl_database *db)
{
    static const struct sl_store_check wish = {.mend = true};
    struct sl_findings found = {.rows = NULL};
    uint64_t made = 0, highest = 0;
    int rc = db->kind->begin(db);
    if (rc == 0)
        rc = sl_check_state(db, NULL, &wish, &found, &highest);
    if (rc == 0)
        rc = db->kind->raise_number(db, "jobs", highest);
    int ended = sl_database_exec(db, rc == 0 ? "COMMIT" : "ROLLBACK");
    rc = rc == 0 ? ended : rc;
    for (size_t i = 0; i < found.count; i++) {
        bool lost = found.rows[i].kind == SL_FOUND_LOST_ROW;
        made += lost && found.rows[i].mended;
        if (lost && !found.rows[i].mended)
            sl_log(SL_LOG_ERROR, SL_LOG_EVENT("row_not_made_again"),
                   SL_LOG_TEXT("directory", found.rows[i].name));
    }
    if (rc == 0 && made > 0)
        sl_log(SL_LOG_WARNING, SL_LOG_EVENT("rows_made_again"), SL_LOG_NUMBER("runs", made));
    sl_findings_fini(&found);
    return rc;
}

/* A database with lower numbers than were given out lost its newest rows: a log that was cut, an
 * older copy in its place, or a new file. Sequences first: no row that is made again may hand a
 * number of a lost one on. */
static int make_up_for_losses(struct sl_database *db, const struct sl_numbers *given)
{
    uint64_t jobs = last_of(db, "jobs"), runs = last_of(db, "runs");
    if (given->jobs > jobs || given->runs > runs)
        sl_log(SL_LOG_ERROR, SL_LOG_EVENT("store_rows_lost"),
               SL_LOG_NUMBER("jobs", given->jobs > jobs ? given->jobs - jobs : 0),
               SL_LOG_NUMBER("runs", given->runs > runs ? given->runs - runs : 0),
               SL_LOG_REASON("the store is older than the numbers beside it"));
    else if (runs > 0)
        return 0;
    int rc = db->kind->raise_number(db, "jobs", given->jobs);
    if (rc == 0)
        rc = db->kind->raise_number(db, "runs", given->runs);
    return rc < 0 ? rc : make_rows_again(db);
}

int sl_losses_make_up(struct sl_database *db, const char *path, struct sl_numbers *out,
                      struct sl_diag *diag)
{
    char name[SL_PATH_BYTES];
    struct sl_numbers given;
    snprintf(name, sizeof(name), "%.500s-numbers", path);
    int rc = sl_numbers_open(name, &given);
    if (rc < 0)
        return sl_diag_set(diag, rc, name, "the file cannot be opened: %s", sl_strerror(rc));
    rc = make_up_for_losses(db, &given);
    if (rc == 0)
        rc = sl_numbers_raise(&given, last_of(db, "jobs"), last_of(db, "runs"));
    if (rc < 0) {
        sl_numbers_close(&given);
        return sl_diag_set(diag, rc, name, "lost rows cannot be made up for: %s", sl_strerror(rc));
    }
    *out = given;
    return 0;
}
