/* tests/unit/agent/executorch/test_events.c: with stamps.c, and a library in the delegate's place.
 */
#include "agent/executorch/events.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "agent/executorch/apart.h"
#include "agent/executorch/kernel_calls.h"
#include "agent/executorch/stamps.h"
#include "agent/runtime/runtime.h"
#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/sltrace.h"
#include "tests/support/test.h"

enum { RING_RECORDS = 8, MAX_SEEN = 256 };

typedef void (*run_fn)(int operators, void (*name)(void *user, int number), void *user);

struct fixture {
    struct sl_ring *ring;
    struct sl_recorder *recorder;
    struct sl_runtime_events *events;
    void *delegate;
    run_fn run;
    const long *took_ns;  /* what the stand-in says of the operator that it names */
    int *parts;           /* of its first three operators */
    uint32_t instruction; /* of the delegate call */
    struct sl_trace_record seen[MAX_SEEN];
    size_t count;
};

static void take(void *user)
{
    struct fixture *f = user;
    long got = sl_ring_pop(f->ring, f->seen + f->count, MAX_SEEN - f->count);
    assert_true(got >= 0);
    f->count += (size_t)got;
}

static int open_all(void **state)
{
    struct fixture *f = sl_calloc(1, sizeof(*f));
    assert_non_null(f);
    assert_int_equal(sl_ring_new(RING_RECORDS, &f->ring), 0);
    assert_int_equal(sl_recorder_new(f->ring, SL_TRACE_MARKS, 7, &f->recorder), 0);
    sl_recorder_on_full(f->recorder, take, f);
    f->events = sl_runtime_events_new(f->recorder);
    f->instruction = 4;
    assert_non_null(f->events);
    f->delegate = dlopen(SL_TEST_DELEGATE, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(f->delegate);
    *(void **)&f->run = dlsym(f->delegate, "stand_in_run");
    f->took_ns = dlsym(f->delegate, "stand_in_ns");
    f->parts = dlsym(f->delegate, "stand_in_parts");
    assert_true(sl_stamps_open(f->delegate));
    assert_int_equal(sl_kernel_calls_open(f->delegate), 3);
    sl_stamps_record(f->recorder);
    *state = f;
    return 0;
}

static int close_all(void **state)
{
    struct fixture *f = *state;
    sl_stamps_record(NULL);
    sl_runtime_events_free(f->events);
    sl_recorder_free(f->recorder);
    sl_ring_free(f->ring);
    dlclose(f->delegate);
    sl_free(f);
    return 0;
}

/* The n-th EVENT record that came. */
static const struct sl_trace_record *event(struct fixture *f, size_t n)
{
    take(f);
    for (size_t i = 0; i < f->count; i++)
        if (f->seen[i].kind == SL_TRACE_EVENT && n-- == 0)
            return &f->seen[i];
    fail_msg("there are fewer events");
    return NULL;
}

static void name_operator(void *user, int number)
{
    struct fixture *f = user;
    char text[32];
    snprintf(text, sizeof(text), "Convolution #%d", number + 1);
    assert_true(sl_stamps_paused());
    sl_runtime_events_delegate(f->events, text, 0, f->instruction, (uint64_t)*f->took_ns);
}

TEST_WITH(operators_lie_between_the_delegates_own_stamps, open_all, close_all)
{
    struct fixture *f = *state;
    int64_t whole = sl_runtime_events_begin(f->events, "Method::execute", -1, 0);
    int64_t call = sl_runtime_events_begin(f->events, "DELEGATE_CALL", 0, 4);
    f->run(3, name_operator, f);
    sl_runtime_events_end(f->events, call);
    sl_runtime_events_end(f->events, whole);
    assert_int_equal(sl_runtime_events_flush(f->events), 0);
    assert_int_equal(sl_runtime_events_count(f->events), 5);
    /* Marks: 0 and 1 begin the events, each of four stamps ends one operator and begins the next.
     */
    for (uint32_t k = 0; k < 3; k++) {
        const struct sl_trace_record *op = event(f, k);
        assert_int_equal(op->event.event, SL_TRACE_DELEGATE);
        assert_int_equal(op->event.start, 3 + 2 * k);
        assert_int_equal(op->event.end, 4 + 2 * k);
        assert_int_equal(op->event.order, 2 + k);
        assert_int_equal(op->event.chain, 0);
        assert_int_equal(op->event.instruction, 4);
    }
    assert_int_equal(event(f, 3)->event.event, SL_TRACE_OPERATOR);
    assert_int_equal(event(f, 3)->event.end, 10);
    assert_int_equal(event(f, 4)->event.event, SL_TRACE_FRAMEWORK);
    assert_int_equal(event(f, 4)->event.chain, -1);
    assert_int_equal(event(f, 4)->event.order, 0);
}

/* The text of a name that the recorder wrote. */
static const char *text_of(struct fixture *f, uint32_t name)
{
    take(f);
    for (size_t i = 0; i < f->count; i++)
        if (f->seen[i].kind == SL_TRACE_NAME && f->seen[i].name == name)
            return f->seen[i].part.text;
    return "";
}

static void call(struct fixture *f, int operators)
{
    int64_t number = sl_runtime_events_begin(f->events, "DELEGATE_CALL", 0, 4);
    f->run(operators, name_operator, f);
    sl_runtime_events_end(f->events, number);
}

TEST_WITH(who_looks_finds_after_how_many_operators_it_is, open_all, close_all)
{
    struct fixture *f = *state;
    char shared[SL_APART_SHARED_BYTES] = "";
    sl_runtime_events_keep(f->events, SL_VARIANT_TRACED);
    call(f, 3);
    assert_string_equal(text_of(f, sl_ring_current(f->ring)), "DELEGATE_CALL");
    assert_int_equal(sl_runtime_events_flush(f->events), 0);
    sl_runtime_events_keep(f->events, SL_VARIANT_WARM_UP);
    sl_runtime_events_leave_current(f->events, shared);
    call(f, 3);
    uint32_t last = sl_ring_current(f->ring);
    assert_memory_equal(text_of(f, last), "DELEGATE_CALL, after 3 of its operators", 39);
    assert_string_equal(shared, "DELEGATE_CALL, after 3 of its operators");
    assert_int_equal(sl_runtime_events_flush(f->events), 0);
    sl_runtime_events_keep(f->events, SL_VARIANT_TRACED); /* names that are there are used */
    call(f, 2);
    assert_memory_equal(text_of(f, sl_ring_current(f->ring)), "DELEGATE_CALL, after 2", 22);
    call(f, 3);
    assert_int_equal(sl_ring_current(f->ring), last);
    assert_int_equal(sl_runtime_events_flush(f->events), 0);
}

TEST_WITH(an_operator_of_several_parts_has_the_stamps_of_all, open_all, close_all)
{
    struct fixture *f = *state;
    f->parts[1] = 3; /* a concatenation of three */
    int64_t call = sl_runtime_events_begin(f->events, "DELEGATE_CALL", 0, 4);
    f->run(3, name_operator, f);
    sl_runtime_events_end(f->events, call);
    assert_int_equal(sl_runtime_events_flush(f->events), 0);
    /* Marks: 0 begins the event, 1 and 2 are the stamp before the first operator. */
    static const uint32_t spans[3][2] = {{2, 3}, {4, 9}, {10, 11}};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(event(f, k)->event.start, spans[k][0]);
        assert_int_equal(event(f, k)->event.end, spans[k][1]);
    }
    f->parts[1] = 1;
}

TEST_WITH(a_stamp_without_an_operator_is_told, open_all, close_all)
{
    struct fixture *f = *state;
    int64_t call = sl_runtime_events_begin(f->events, "DELEGATE_CALL", 0, 4);
    f->run(2, name_operator, f);
    f->run(0, name_operator, f);
    sl_runtime_events_end(f->events, call);
    assert_int_equal(sl_runtime_events_flush(f->events), SL_E_STATE);
}

TEST_WITH(packed_events_become_the_same_records, open_all, close_all)
{
    struct fixture *f = *state;
    char current[SL_APART_SHARED_BYTES] = "";
    struct sl_buf packed;
    sl_buf_init(&packed, 1 << 20);
    sl_runtime_events_leave_current(f->events, current);
    int64_t call = sl_runtime_events_begin(f->events, "DELEGATE_CALL", 0, 4);
    f->run(3, name_operator, f);
    sl_runtime_events_end(f->events, call);
    assert_string_equal(current, "DELEGATE_CALL");
    assert_int_equal(sl_runtime_events_pack(f->events, &packed), 0);
    struct sl_bytes bytes = {packed.data, packed.size};
    assert_int_equal(sl_runtime_events_unpack(f->events, bytes), 0);
    assert_int_equal(sl_runtime_events_count(f->events), 4);
    assert_int_equal(event(f, 1)->event.start, 4);
    assert_int_equal(event(f, 1)->event.end, 5);
    assert_int_equal(event(f, 1)->event.order, 2);
    assert_int_equal(event(f, 3)->event.event, SL_TRACE_OPERATOR);
    for (size_t cut = 1; cut < bytes.size; cut++) {
        int rc = sl_runtime_events_unpack(f->events, (struct sl_bytes){bytes.data, cut});
        assert_true(rc == 0 || rc == SL_E_FORMAT);
        take(f);
        f->count = 0;
    }
    sl_buf_fini(&packed);
}

static void execute(struct fixture *f, uint32_t instruction)
{
    f->instruction = instruction;
    int64_t call = sl_runtime_events_begin(f->events, "DELEGATE_CALL", 0, instruction);
    f->run(3, name_operator, f);
    sl_runtime_events_end(f->events, call);
    assert_int_equal(sl_runtime_events_flush(f->events), 0);
}

static const char *kernel_of(struct fixture *f, size_t n)
{
    uint32_t id = event(f, n)->event.kernel;
    for (size_t i = 0; id != 0 && i < f->count; i++)
        if (f->seen[i].kind == SL_TRACE_NAME && f->seen[i].name == id)
            return f->seen[i].part.text;
    return "";
}

TEST_WITH(a_warm_up_names_the_kernels_of_the_executions_after_it, open_all, close_all)
{
    struct fixture *f = *state;
    assert_int_equal(sl_kernel_calls_watch(true), 0);
    execute(f, 4);
    assert_int_equal(sl_kernel_calls_watch(false), 0);
    execute(f, 4);
    execute(f, 9); /* control flow goes another way */
    for (size_t first = 0; first < 8; first += 4) {
        assert_string_equal(kernel_of(f, first), "kai_run_matmul_stand_in_sme2_mopa");
        assert_string_equal(kernel_of(f, first + 1), "kai_run_matmul_stand_in_neon");
        assert_string_equal(kernel_of(f, first + 2), "");
    }
    assert_string_equal(kernel_of(f, 8), "");
}

TEST_WITH(operator_without_a_stamp_is_told, open_all, close_all)
{
    struct fixture *f = *state;
    int64_t call = sl_runtime_events_begin(f->events, "DELEGATE_CALL", 0, 4);
    sl_runtime_events_delegate(f->events, "Convolution #1", 0, 4,
                               1000); /* no one asked for the time */
    sl_runtime_events_end(f->events, call);
    assert_int_equal(sl_runtime_events_flush(f->events), SL_E_STATE);
    assert_int_equal(sl_runtime_events_flush(f->events), 0); /* and not of the next execution */
}

TEST_WITH(stamps_of_a_call_before_count_for_no_other, open_all, close_all)
{
    struct fixture *f = *state;
    int64_t first = sl_runtime_events_begin(f->events, "DELEGATE_CALL", 0, 1);
    f->run(2, name_operator, f);
    sl_runtime_events_end(f->events, first);
    int64_t second = sl_runtime_events_begin(f->events, "DELEGATE_CALL", 0, 2);
    f->run(1, name_operator, f);
    sl_runtime_events_end(f->events, second);
    assert_int_equal(sl_runtime_events_flush(f->events), 0);
    assert_int_equal(sl_runtime_events_count(f->events), 5);
    assert_true(event(f, 3)->event.start > event(f, 2)->event.end);
}

TEST_WITH(more_events_than_the_ring_holds_wait_for_it, open_all, close_all)
{
    struct fixture *f = *state;
    for (int i = 0; i < 5 * RING_RECORDS; i++)
        sl_runtime_events_end(f->events,
                              sl_runtime_events_begin(f->events, "OPERATOR_CALL", 0, (uint32_t)i));
    assert_int_equal(sl_runtime_events_flush(f->events), 0);
    for (uint32_t i = 0; i < 5 * RING_RECORDS; i++)
        assert_int_equal(event(f, i)->event.instruction, i);
}

TEST_WITH(real_clock_answers_everybody_else, open_all, close_all)
{
    struct timespec now = {0};
    const struct sl_stamp *stamps;
    sl_stamps_clear();
    assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
    assert_true(now.tv_sec > 0 || now.tv_nsec > 0);
    assert_int_equal(sl_stamps_get(&stamps), 0);
}

TEST_WITH(the_execution_alone_is_kept_where_no_more_is_asked_for, open_all, close_all)
{
    struct fixture *f = *state;
    sl_runtime_events_keep(f->events, SL_VARIANT_WHOLE);
    int64_t whole = sl_runtime_events_begin(f->events, "Method::execute", -1, 0);
    int64_t call = sl_runtime_events_begin(f->events, "DELEGATE_CALL", 0, 4);
    assert_int_equal(call, -1);
    f->run(3, name_operator, f);
    sl_runtime_events_end(f->events, call);
    sl_runtime_events_end(f->events, whole);
    assert_int_equal(sl_runtime_events_flush(f->events), 0);
    assert_int_equal(sl_runtime_events_count(f->events), 1);
    sl_runtime_events_keep(f->events, SL_VARIANT_UNTRACED);
    assert_int_equal(sl_runtime_events_begin(f->events, "Method::execute", -1, 0), -1);
}

TEST(an_operator_of_sme_is_told_where_there_may_be_none_though_nothing_is_recorded)
{
    struct sl_runtime_events *events = sl_runtime_events_new(NULL);
    assert_non_null(events);
    assert_int_equal(sl_runtime_events_begin(events, "Method::execute", -1, 0), -1);
    sl_runtime_events_delegate(events, "Convolution (NHWC, PF32) IGEMM #1", 0, 0, 1000);
    assert_null(sl_runtime_events_forbidden(events));
    sl_runtime_events_forbid_sme(events);
    sl_runtime_events_delegate(events, "Convolution (NHWC, F32) IGEMM #1", 0, 0, 1000);
    assert_null(sl_runtime_events_forbidden(events));
    sl_runtime_events_delegate(events, "Fully Connected (NC, PQS8) GEMM #1", 0, 0, 1000);
    assert_string_equal(sl_runtime_events_forbidden(events), "Fully Connected (NC, PQS8) GEMM #1");
    assert_int_equal(sl_runtime_events_flush(events), 0);
    assert_int_equal(sl_runtime_events_count(events), 0);
    sl_runtime_events_free(events);
}
