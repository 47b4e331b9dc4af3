/* host/device/count_reader.c */
#if defined(__linux__)
#define _GNU_SOURCE /* F_SETPIPE_SZ */
#endif
#include "host/device/count_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "host/device/count_log.h"
#include "host/device/launch.h"

enum {
    PATH_BYTES = 1024,
    READ_BYTES = 256 << 10,
    PIPE_BYTES = 1 << 20,
    GATHER_NS = 1000000, /* the emulator writes line by line: woken by each, both would crawl */
    IDLE_NS = 5000000    /* the pause where nothing is there; a pipe of PIPE_BYTES takes more */
};

struct sl_count_reader {
    struct sl_count_log *log; /* owned; the thread's until it is joined */
    char fifo[PATH_BYTES];
    int fd;
    pthread_t thread;
    bool running;
    atomic_bool ended; /* the writer is gone: the next empty read is the end */
    int rc;            /* of the thread */
    struct sl_diag diag;
    atomic_ullong counted; /* for the loop, while the thread has the log */
    atomic_int question;   /* enum question: who may touch what follows */
    uint64_t asked[4], spans[2];
    uint8_t bytes[READ_BYTES];
};

enum question { NOT_ASKED, ASKED, ANSWERED };

/* Gives the loop its figures meanwhile. */
static void tell(struct sl_count_reader *reader)
{
    size_t count = 0;
    const struct sl_count_mark *marks = sl_count_log_marks(reader->log, &count);
    atomic_store(&reader->counted, sl_count_log_counted(reader->log, SL_INSN_ANY));
    if (atomic_load(&reader->question) != ASKED)
        return;
    for (int i = 0; i < 4; i++) {
        if (reader->asked[i] >= count)
            return;
    }
    for (int i = 0; i < 2; i++)
        reader->spans[i] = marks[reader->asked[2 * i + 1]].insns[SL_INSN_ANY] -
                           marks[reader->asked[2 * i]].insns[SL_INSN_ANY];
    atomic_store(&reader->question, ANSWERED);
}

uint64_t sl_count_reader_counted(struct sl_count_reader *reader)
{
    return atomic_load(&reader->counted);
}

void sl_count_reader_ask(struct sl_count_reader *reader, const uint64_t marks[4])
{
    if (atomic_load(&reader->question) != NOT_ASKED)
        return;
    for (int i = 0; i < 4; i++)
        reader->asked[i] = marks[i];
    atomic_store(&reader->question, ASKED);
}

bool sl_count_reader_answer(struct sl_count_reader *reader, uint64_t out_spans[2])
{
    if (atomic_load(&reader->question) != ANSWERED)
        return false;
    out_spans[0] = reader->spans[0];
    out_spans[1] = reader->spans[1];
    atomic_store(&reader->question, NOT_ASKED);
    return true;
}

/* An empty read is the end only when the writer is known to be gone: it may not have come yet. The
 * thread sleeps and does not poll: after the first poll of a pipe, Linux looks for sleepers at each
 * write into it. */
static void *read_log(void *user)
{
    struct sl_count_reader *reader = user;
    for (;;) {
        bool last = atomic_load(&reader->ended);
        if (reader->rc == 0)
            tell(reader);
        ssize_t n = read(reader->fd, reader->bytes, READ_BYTES);
        if (n > 0) {
            if (reader->rc == 0) /* else it is drained, so that the emulator never blocks */
                reader->rc =
                    sl_count_log_push(reader->log, reader->bytes, (size_t)n, &reader->diag);
            if (n < READ_BYTES / 2 && !last)
                nanosleep(&(struct timespec){.tv_nsec = GATHER_NS}, NULL);
        } else if (n == 0 || errno == EAGAIN) {
            if (last)
                return NULL;
            nanosleep(&(struct timespec){.tv_nsec = IDLE_NS}, NULL);
        } else if (errno != EINTR) {
            reader->rc = reader->rc < 0 ? reader->rc : -errno;
            return NULL;
        }
    }
}

int sl_count_reader_start(const struct sl_device *device, const char *fifo,
                          struct sl_count_reader **out, struct sl_diag *diag)
{
    struct sl_count_reader *reader = sl_calloc(1, sizeof(*reader));
    if (!reader)
        return -ENOMEM;
    reader->fd = -1;
    int size = snprintf(reader->fifo, sizeof(reader->fifo), "%s", fifo);
    int rc = size >= PATH_BYTES ? -ENAMETOOLONG : sl_device_new_log(device, &reader->log, diag);
    unlink(reader->fifo);
    if (rc == 0 && (mkfifo(reader->fifo, 0600) < 0 ||
                    (reader->fd = open(fifo, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0))
        rc = sl_diag_set(diag, -errno, fifo, "No FIFO can be made");
#ifdef F_SETPIPE_SZ
    if (rc == 0)
        fcntl(reader->fd, F_SETPIPE_SZ, PIPE_BYTES); /* only faster */
#endif
    if (rc == 0) {
        rc = -pthread_create(&reader->thread, NULL, read_log, reader);
        reader->running = rc == 0;
    }
    if (rc < 0)
        sl_count_reader_free(reader);
    else
        *out = reader;
    return rc;
}

static void join(struct sl_count_reader *reader)
{
    atomic_store(&reader->ended, true);
    if (reader->running)
        pthread_join(reader->thread, NULL);
    reader->running = false;
}

int sl_count_reader_finish(struct sl_count_reader *reader, int whole, struct sl_count_log **out,
                           struct sl_diag *diag)
{
    join(reader);
    int rc = reader->rc;
    if (rc < 0 && diag)
        *diag = reader->diag;
    if (rc == 0 && whole)
        rc = sl_count_log_finish(reader->log, diag);
    if (rc == 0)
        *out = reader->log;
    return rc;
}

void sl_count_reader_free(struct sl_count_reader *reader)
{
    if (!reader)
        return;
    join(reader);
    if (reader->fd >= 0)
        close(reader->fd);
    unlink(reader->fifo);
    sl_count_log_free(reader->log);
    sl_free(reader);
}
