/* tests/unit/agent/executorch/test_apart.c */
#include "agent/executorch/apart.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "common/base/error.h"
#include "tests/support/unit.h"

enum { LARGE = 3 << 20, LIMIT = 8 << 20 };

/* Answers with what it was asked, its own number before that; "end" and "die" end it. */
static int echo(struct sl_bytes question, struct sl_buf *reply)
{
    const pid_t self = getpid();
    if (question.size == 3 && memcmp(question.data, "end", 3) == 0)
        _exit(0);
    if (question.size == 3 && memcmp(question.data, "die", 3) == 0) {
        strcpy(sl_apart_shared(), "last words");
        raise(SIGKILL);
    }
    int rc = sl_buf_append(reply, &self, sizeof(self));
    return rc == 0 ? sl_buf_append(reply, question.data, question.size) : rc;
}

static int start(void **state)
{
    (void)state;
    sl_apart_start(echo);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    sl_apart_stop();
    sl_apart_stop();
    return 0;
}

static int ask(const void *bytes, size_t size, struct sl_buf *reply, int *out_signal)
{
    struct sl_buf question;
    sl_buf_init(&question, LIMIT);
    sl_buf_init(reply, LIMIT);
    assert_int_equal(sl_buf_append(&question, bytes, size), 0);
    int rc = sl_apart_ask(&question, reply, out_signal);
    sl_buf_fini(&question);
    return rc;
}

TEST_WITH(another_process_answers_and_keeps_answering, start, stop)
{
    static uint8_t bytes[LARGE];
    int number = 0;
    pid_t pid;
    for (size_t i = 0; i < LARGE; i++)
        bytes[i] = (uint8_t)(i * 7);
    for (size_t size = 0; size <= LARGE; size += LARGE / 3) {
        struct sl_buf reply;
        assert_int_equal(ask(bytes, size, &reply, &number), 0);
        assert_int_equal(reply.size, sizeof(pid) + size);
        memcpy(&pid, reply.data, sizeof(pid));
        assert_int_not_equal(pid, getpid());
        assert_memory_equal(reply.data + sizeof(pid), bytes, size);
        sl_buf_fini(&reply);
    }
}

TEST_WITH(one_that_ends_by_a_signal_is_told_with_what_it_left, start, stop)
{
    struct sl_buf reply;
    int number = 0;
    assert_int_equal(ask("die", 3, &reply, &number), SL_E_CRASHED);
    assert_int_equal(number, SIGKILL);
    assert_string_equal(sl_apart_shared(), "last words");
    sl_buf_fini(&reply);
    assert_int_equal(ask("x", 1, &reply, &number), SL_E_STATE);
    sl_buf_fini(&reply);
}

TEST_WITH(one_that_ends_by_itself_is_gone, start, stop)
{
    struct sl_buf reply;
    int number = 0;
    assert_int_equal(ask("end", 3, &reply, &number), SL_E_STATE);
    sl_buf_fini(&reply);
}

TEST(without_a_process_nobody_answers)
{
    struct sl_buf reply;
    int number = 0;
    assert_int_equal(ask("x", 1, &reply, &number), SL_E_STATE);
    sl_buf_fini(&reply);
}
