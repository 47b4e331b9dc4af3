/* host/store/run_removal.c */
#include "host/store/run_removal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/base/path.h"
#include "common/base/tree_remove.h"
#include "host/store/run_file.h"
#include "host/store/store.h"

/* Below the state directory: files of runs that have no row any more. */
#define REMOVED "removed"

struct removal {
    uv_work_t work;
    uv_loop_t *loop;
    struct sl_store *store;
    const char *root;
    struct sl_run_record run;
    sl_store_done_fn done;
    void *user;
    int rc;
};

static void end(struct removal *removal, int rc)
{
    removal->done(removal->user, rc);
    sl_free(removal);
}

/* Away from the runs in one step: half of one is never taken for a run that lost its row. */
static void do_remove(uv_work_t *work)
{
    struct removal *removal = work->data;
    char name[32], path[2 * SL_PATH_BYTES];
    snprintf(name, sizeof(name), REMOVED "/%" PRIu64, removal->run.id);
    int rc = sl_run_file_move(removal->root, removal->run.directory, name);
    removal->rc = rc == SL_E_NOT_FOUND ? 0 : rc;
    if (rc == 0 && sl_path_join(path, sizeof(path), removal->root, "%s", name) == 0)
        sl_tree_remove(path);
}

static void after_remove(uv_work_t *work, int status)
{
    struct removal *removal = work->data;
    end(removal, status < 0 ? status : removal->rc);
}

static void on_row_removed(void *user, int rc)
{
    struct removal *removal = user;
    if (rc == 0)
        rc = uv_queue_work(removal->loop, &removal->work, do_remove, after_remove);
    if (rc < 0)
        end(removal, rc);
}

int sl_run_removal_start(uv_loop_t *loop, struct sl_store *store, const char *root,
                         const struct sl_run_record *run, const struct sl_store_retention *kept,
                         sl_store_done_fn done, void *user)
{
    struct removal *removal = sl_calloc(1, sizeof(*removal));
    if (!removal)
        return -ENOMEM;
    *removal = (struct removal){{.data = removal}, loop, store, root, *run, done, user, 0};
    int rc = sl_store_remove_run(store, run->id, kept, on_row_removed, removal);
    if (rc < 0)
        sl_free(removal);
    return rc;
}

void sl_run_removal_sweep(const char *root)
{
    char path[2 * SL_PATH_BYTES];
    if (sl_path_join(path, sizeof(path), root, REMOVED) == 0)
        sl_tree_remove(path);
}
