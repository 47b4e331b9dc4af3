/* agent/serve/crash_note.c */
#include "agent/serve/crash_note.h"

#include <errno.h>

#include <uv.h>

#include "agent/probe/crash_log.h"
#include "common/base/buf.h"
#include "common/base/mem.h"

struct note {
    uv_work_t work;
    const char *root;
    pid_t pid;
    uint64_t since_ms;
    struct sl_buf said;
    void (*done)(void *user, const struct sl_buf *said);
    void *user;
};

static void read_log(uv_work_t *work)
{
    struct note *note = work->data;
    sl_crash_log_read(note->root, note->pid, note->since_ms, &note->said);
}

static void after_read(uv_work_t *work, int status)
{
    struct note *note = work->data;
    (void)status; /* nobody cancels it */
    note->done(note->user, &note->said);
    sl_buf_fini(&note->said);
    sl_free(note);
}

int sl_crash_note_start(uv_loop_t *loop, const char *root, pid_t pid, uint64_t since_ms,
                        void (*done)(void *user, const struct sl_buf *said), void *user)
{
    struct note *note = sl_calloc(1, sizeof(*note));
    if (!note)
        return -ENOMEM;
    *note =
        (struct note){.root = root, .pid = pid, .since_ms = since_ms, .done = done, .user = user};
    note->work.data = note;
    sl_buf_init(&note->said, SL_CRASH_LOG_BYTES);
    int rc = uv_queue_work(loop, &note->work, read_log, after_read);
    if (rc < 0)
        sl_free(note);
    return rc;
}
