/* agent/executorch/apart.c */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "agent/executorch/apart.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/base/mem.h"

enum { SOCKET_BYTES = 4096, REST_BYTES = 1 << 17, MAX_MESSAGE_BYTES = 1 << 30 };

/* Before each message. Both sides are one program. */
struct head {
    uint64_t size;
    int64_t code; /* of the answer */
};

static int link_fd = -1;
static pid_t other;
static char *shared;

static bool receive(int fd, void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = recv(fd, (char *)bytes + at, size - at, 0);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool deliver(int fd, const void *bytes, size_t size)
{
    for (size_t at = 0; at < size;) {
        ssize_t n = send(fd, (const char *)bytes + at, size - at, MSG_NOSIGNAL);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* Appends a message to `out`. */
static bool receive_message(int fd, struct sl_buf *out, int64_t *out_code)
{
    struct head head;
    uint8_t *at = NULL;
    if (!receive(fd, &head, sizeof(head)) || head.size > MAX_MESSAGE_BYTES ||
        sl_buf_extend(out, (size_t)head.size, &at) < 0)
        return false;
    *out_code = head.code;
    return receive(fd, at, (size_t)head.size);
}

static void answer_all(int fd, sl_apart_fn answer)
{
    static uint8_t rest[REST_BYTES];
    for (bool going = true; going;) {
        struct sl_buf question, reply;
        int64_t ignored;
        sl_buf_init(&question, MAX_MESSAGE_BYTES);
        sl_buf_init(&reply, MAX_MESSAGE_BYTES);
        going = receive_message(fd, &question, &ignored);
        if (going) {
            int code = answer((struct sl_bytes){question.data, question.size}, &reply);
            struct head head = {reply.size, code};
            going = receive(fd, rest, sizeof(rest)) && deliver(fd, &head, sizeof(head)) &&
                    deliver(fd, reply.data, reply.size);
        }
        sl_buf_fini(&question);
        sl_buf_fini(&reply);
    }
    _exit(0);
}

void sl_apart_start(sl_apart_fn answer)
{
    int ends[2], size = SOCKET_BYTES;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
        return;
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
    void *memory = mmap(NULL, SL_APART_SHARED_BYTES, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = memory == MAP_FAILED ? NULL : memory;
    other = fork();
    if (other == 0) {
        close(ends[0]);
        answer_all(ends[1], answer);
    }
    close(ends[1]);
    link_fd = ends[0];
    if (other < 0)
        sl_apart_stop();
}

static int gone(int *out_signal)
{
    int status = 0;
    if (link_fd < 0 || other <= 0)
        return SL_E_STATE;
    close(link_fd);
    link_fd = -1;
    waitpid(other, &status, 0);
    if (!WIFSIGNALED(status))
        return SL_E_STATE;
    *out_signal = WTERMSIG(status);
    return SL_E_CRASHED;
}

int sl_apart_ask(const struct sl_buf *question, struct sl_buf *reply, int *out_signal)
{
    struct sl_buf message; /* in one piece: between two send() this process would be awake */
    struct head head = {question->size, 0};
    uint8_t *rest;
    int64_t code = 0;
    sl_buf_init(&message, MAX_MESSAGE_BYTES + REST_BYTES + sizeof(head));
    int rc = link_fd < 0 ? SL_E_STATE : sl_buf_append(&message, &head, sizeof(head));
    if (rc == 0)
        rc = sl_buf_append(&message, question->data, question->size);
    if (rc == 0)
        rc = sl_buf_extend(&message, REST_BYTES, &rest);
    if (rc == 0)
        rc = deliver(link_fd, message.data, message.size) && receive_message(link_fd, reply, &code)
                 ? (int)code
                 : gone(out_signal);
    sl_buf_fini(&message);
    return rc;
}

char *sl_apart_shared(void)
{
    return shared;
}

void sl_apart_stop(void)
{
    if (link_fd < 0)
        return;
    close(link_fd);
    link_fd = -1;
    if (other > 0)
        waitpid(other, NULL, 0);
}
