/* host/store/database.c */
#include "host/store/database.h"

#include <stddef.h>

void sl_database_close(struct sl_database *db)
{
    if (db)
        db->kind->close(db);
}

int sl_database_exec(struct sl_database *db, const char *sql)
{
    return db->kind->exec(db, sql);
}

int sl_database_begin(struct sl_database *db, bool writes)
{
    uint64_t now_ms;
    if (writes)
        return db->kind->begin(db);
    if (db->kind->begin_posted)
        db->kind->begin_posted(db, &now_ms);
    return 0;
}

int sl_database_commit(struct sl_database *db, bool jobs_changed)
{
    return db->kind->commit ? db->kind->commit(db, jobs_changed) : sl_database_exec(db, "COMMIT");
}

int sl_database_state(struct sl_database *db)
{
    return db->kind->state ? db->kind->state(db) : SL_DATABASE_FINE;
}

int sl_database_part_begin(struct sl_database *db)
{
    return sl_database_exec(db, "SAVEPOINT part");
}

int sl_database_part_end(struct sl_database *db, int rc)
{
    if (rc < 0)
        sl_database_exec(db, "ROLLBACK TO SAVEPOINT part");
    int ended = sl_database_exec(db, "RELEASE SAVEPOINT part");
    return rc == 0 ? ended : rc;
}
