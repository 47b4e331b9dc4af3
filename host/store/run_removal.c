/* host/store/run_removal.c */
#include "host/store/run_removal.h"

#include <errno.h>

#include <uv.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/store/run_file.h"
#include "host/store/store.h"

struct removal {
    uv_work_t work;
    struct sl_store *store;
    const char *root;
    struct sl_run_record run;
    sl_store_done_fn done;
    void *user;
    int rc;
};

static void on_row_removed(void *user, int rc)
{
    struct removal *removal = user;
    removal->done(removal->user, rc);
    sl_free(removal);
}

/* The files first: a daemon that is killed in between has a run without files, which can be removed
 * again, in place of files that nobody names. */
static void do_remove(uv_work_t *work)
{
    struct removal *removal = work->data;
    int rc = sl_run_file_remove(removal->root, removal->run.directory);
    removal->rc = rc == SL_E_NOT_FOUND ? 0 : rc;
}

static void after_remove(uv_work_t *work, int status)
{
    struct removal *removal = work->data;
    int rc = status < 0 ? status : removal->rc;
    if (rc == 0)
        rc = sl_store_remove_run(removal->store, removal->run.id, on_row_removed, removal);
    if (rc < 0)
        on_row_removed(removal, rc);
}

int sl_run_removal_start(uv_loop_t *loop, struct sl_store *store, const char *root,
                         const struct sl_run_record *run, sl_store_done_fn done, void *user)
{
    struct removal *removal = sl_calloc(1, sizeof(*removal));
    if (!removal)
        return -ENOMEM;
    *removal =
        (struct removal){.store = store, .root = root, .run = *run, .done = done, .user = user};
    removal->work.data = removal;
    int rc = uv_queue_work(loop, &removal->work, do_remove, after_remove);
    if (rc < 0)
        sl_free(removal);
    return rc;
}
