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
#include "host/store/run_name.h"
#include "host/store/store.h"

/* Below the state directory: files of runs that have no row any more. */
#define REMOVED "runs/" SL_REMOVED_RUNS

struct removal {
    uv_work_t work;
    uv_loop_t *loop;
    struct sl_store *store;
    const char *root;
    struct sl_run_record run;
    sl_store_done_fn done;
    void *user;
    int row, files; /* how removing the row went at first, and the files */
};

static void end(struct removal *removal, int rc)
{
    removal->done(removal->user, rc);
    sl_free(removal);
}

/* A mending check may have found the run without its row meanwhile, and made the row again. */
static void on_row_removed_again(void *user, int rc)
{
    struct removal *removal = user;
    end(removal, removal->files < 0 ? removal->files : removal->row == 0 ? 0 : rc);
}

/* Away from the runs in one step, so that half of one is never taken for a run that lost its row;
 * in place if that cannot be, on a full disk say. */
static void do_remove(uv_work_t *work)
{
    struct removal *removal = work->data;
    char name[32], path[2 * SL_PATH_BYTES];
    snprintf(name, sizeof(name), REMOVED "/%" PRIu64, removal->run.id);
    int rc = sl_run_file_move(removal->root, removal->run.directory, name);
    if (rc == 0 && sl_path_join(path, sizeof(path), removal->root, "%s", name) == 0)
        sl_tree_remove(path);
    else if (rc != SL_E_NOT_FOUND)
        rc = sl_run_file_remove(removal->root, removal->run.directory);
    removal->files = rc == 0 || rc == SL_E_NOT_FOUND ? 0 : -EIO;
}

static void after_remove(uv_work_t *work, int status)
{
    struct removal *removal = work->data;
    int rc = status < 0 ? status
                        : sl_store_remove_run(removal->store, removal->run.id, NULL,
                                              on_row_removed_again, removal);
    if (rc < 0)
        end(removal, rc);
}

/* A disk without room for the transaction gets it from the files: the run may go, or the answer
 * would be another. */
static void on_row_removed(void *user, int rc)
{
    struct removal *removal = user;
    removal->row = rc;
    if (rc == 0 || rc == -ENOSPC)
        rc = uv_queue_work(removal->loop, &removal->work, do_remove, after_remove);
    if (rc < 0)
        end(removal, rc);
}

int sl_run_removal_start(uv_loop_t *loop, struct sl_store *store, const char *root,
                         const struct sl_run_record *run, const struct sl_store_retention *rules,
                         sl_store_done_fn done, void *user)
{
    struct removal *removal = sl_calloc(1, sizeof(*removal));
    if (!removal)
        return -ENOMEM;
    *removal = (struct removal){{.data = removal}, loop, store, root, *run, done, user, 0, 0};
    int rc = sl_store_remove_run(store, run->id, rules, on_row_removed, removal);
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
