/* agent/executorch/apart_variant.c */
#include "agent/executorch/apart_variant.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "agent/executorch/apart.h"
#include "agent/executorch/events.h"
#include "agent/executorch/features.h"
#include "agent/executorch/method.h"
#include "agent/executorch/variant.h"
#include "agent/trace/marks.h"
#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/base/error.h"
#include "common/format/sltrace.h"

/* A question and its answer are pieces of bytes, each after its length, in an answer at a multiple
 * of this. Both sides are this program. */
enum { PIECE_ALIGNMENT = 8 };

struct writer {
    struct sl_buf *to;
    int rc; /* the first failure */
};

static void put(struct writer *to, const void *data, size_t size)
{
    static const uint8_t padding[PIECE_ALIGNMENT];
    const uint64_t length = size;
    if (to->rc == 0)
        to->rc = sl_buf_append(to->to, &length, sizeof(length));
    if (to->rc == 0)
        to->rc = sl_buf_append(to->to, data, size);
    if (to->rc == 0)
        to->rc = sl_buf_append(to->to, padding, -size % PIECE_ALIGNMENT);
}

static void put_text(struct writer *to, const char *text)
{
    put(to, text, text ? strlen(text) + 1 : 0);
}

struct reader {
    struct sl_bytes left;
    bool whole; /* nothing was missing so far */
};

static struct sl_bytes take(struct reader *from)
{
    const size_t head = sizeof(uint64_t);
    size_t have = from->left.size;
    uint64_t length = have >= head ? sl_load_u64(from->left.data) : 0;
    from->whole = from->whole && have >= head && length <= have - head &&
                  -length % PIECE_ALIGNMENT <= have - head - length;
    if (!from->whole)
        return (struct sl_bytes){NULL, 0};
    struct sl_bytes found = {from->left.data + head, (size_t)length};
    size_t taken = head + found.size + -found.size % PIECE_ALIGNMENT;
    from->left.data += taken;
    from->left.size -= taken;
    return found;
}

/* A value of this size. */
static void take_value(struct reader *from, void *out, size_t size)
{
    struct sl_bytes found = take(from);
    from->whole = from->whole && found.size == size;
    if (from->whole)
        memcpy(out, found.data, size);
}

/* Terminated, as put_text() wrote it; NULL where there was none. */
static const char *take_text(struct reader *from)
{
    struct sl_bytes found = take(from);
    from->whole = from->whole && (found.size == 0 || found.data[found.size - 1] == '\0');
    return from->whole && found.size > 0 ? (const char *)found.data : NULL;
}

/* The process beside ended by a signal: so does this one, where the run's owner sees it, and finds
 * what it was doing. */
static void end_by(const struct sl_variant *v, int number)
{
    const char *current = sl_apart_shared();
    sl_mark_pause();
    if (v->recorder && current && current[0])
        sl_recorder_enter(v->recorder, current);
    sl_mark_resume();
    signal(number, SIG_DFL);
    raise(number);
}

static void write_output(struct writer *to, const struct sl_tensor_view *view)
{
    put(to, view, sizeof(*view));
    put(to, view->sizes, view->rank * sizeof(*view->sizes));
    put(to, view->dim_order, view->rank);
    put(to, view->data, view->nbytes);
    put_text(to, view->plain.text);
}

/* Reads a view whose sizes and data stay in the answer. */
static void read_output(struct reader *from, struct sl_tensor_view *out)
{
    struct sl_tensor_view view;
    take_value(from, &view, sizeof(view));
    struct sl_bytes sizes = take(from), dim_order = take(from), data = take(from);
    const char *text = take_text(from);
    if (!from->whole || sizes.size != view.rank * sizeof(*view.sizes) ||
        dim_order.size != view.rank || data.size != view.nbytes) {
        from->whole = false;
        return;
    }
    view.sizes = (const int32_t *)(const void *)sizes.data;
    view.dim_order = dim_order.data;
    view.data = data.data;
    view.plain.text = text;
    *out = view;
}

/* Asks the process beside; both go on with one clock. */
static int ask(struct sl_variant *v, const struct sl_buf *question, struct sl_diag *diag)
{
    struct sl_recorder_clock clock;
    struct sl_diag told;
    int number = 0;
    v->answer.size = 0;
    /* The answer that they point into is overwritten, and may move. */
    memset(v->outputs, 0, v->method->of.outputs * sizeof(*v->outputs));
    int rc = sl_apart_ask(question, &v->answer, &number);
    if (rc == SL_E_CRASHED)
        end_by(v, number);
    struct reader from = {{v->answer.data, v->answer.size}, true};
    take_value(&from, &clock, sizeof(clock));
    take_value(&from, &told, sizeof(told));
    struct sl_bytes events = take(&from);
    if (!from.whole)
        return rc == 0
                   ? SL_E_FORMAT
                   : sl_diag_set(diag, rc, "ExecuTorch", "the process of the second variant ended");
    if (v->recorder)
        sl_recorder_set_clock(v->recorder, clock);
    if (diag)
        *diag = told;
    for (size_t i = 0; i < v->method->of.outputs && rc == 0 && from.left.size > 0; i++)
        read_output(&from, &v->outputs[i]);
    if (rc == 0 && !from.whole)
        rc = SL_E_FORMAT;
    return rc == 0 && v->recorder ? sl_runtime_events_unpack(v->events, events) : rc;
}

static struct writer begin_question(struct sl_buf *question, uint32_t kind,
                                    const struct sl_variant *v)
{
    struct sl_recorder_clock clock = {SL_TRACE_NS, 0};
    if (v->recorder)
        clock = sl_recorder_get_clock(v->recorder);
    sl_buf_init(question, SIZE_MAX / 2);
    struct writer to = {question, sl_buf_append(question, &kind, sizeof(kind))};
    put(&to, &clock, sizeof(clock));
    return to;
}

static int end_question(struct writer *to, struct sl_variant *v, struct sl_diag *diag)
{
    int rc = to->rc == 0 ? ask(v, to->to, diag) : to->rc;
    sl_buf_fini(to->to);
    return rc;
}

int sl_variant_load_apart(struct sl_variant *v, uint32_t isa, struct sl_diag *diag)
{
    const struct sl_model *model = v->method->model;
    const bool traced = v->recorder != NULL;
    char why[256];
    struct sl_buf question;
    struct writer to = begin_question(&question, SL_APART_LOAD, v);
    put(&to, &isa, sizeof(isa));
    put(&to, &traced, sizeof(traced));
    /* Both processes have one program at one place. */
    put(&to, &sl_executorch_log, sizeof(sl_executorch_log));
    put_text(&to, model->path);
    put_text(&to, model->data ? sl_executorch_data_path(model->data) : NULL);
    put_text(&to, v->method->of.name);
    snprintf(why, sizeof(why), "This variant gets a process of its own: %s",
             sl_features_why_apart());
    if (sl_executorch_log.log)
        sl_executorch_log.log(sl_executorch_log.user, 'I', __FILE__, __LINE__, why);
    v->apart = true;
    return end_question(&to, v, diag);
}

int sl_variant_execute_apart(struct sl_variant *v, int traced, struct sl_diag *diag)
{
    struct sl_buf question;
    struct writer to = begin_question(&question, SL_APART_EXECUTE, v);
    put(&to, &traced, sizeof(traced));
    for (size_t i = 0; i < v->method->of.inputs; i++) {
        const struct sl_input *input = &v->method->inputs[i];
        put(&to, input->sizes, input->view.rank * sizeof(*input->sizes));
        put(&to, input->bytes.data, input->bytes.size);
    }
    return end_question(&to, v, diag);
}

/* The process beside has one variant, and a recorder whose ring nobody reads. */
static struct {
    struct sl_model *model;
    struct sl_data *data;
    struct sl_method *method;
    struct sl_variant *variant;
    struct sl_ring *ring;
    struct sl_recorder *recorder;
} beside;

static void discard(void *user)
{
    struct sl_trace_record records[64];
    (void)user;
    while (sl_ring_pop(beside.ring, records, 64) > 0) {
    }
}

static int open_recorder(struct sl_recorder_clock clock)
{
    enum { RING_RECORDS = 256 };
    int rc = sl_ring_new(RING_RECORDS, &beside.ring);
    if (rc == 0)
        rc = sl_recorder_new(beside.ring, SL_TRACE_NS, 0, &beside.recorder);
    if (rc != 0)
        return rc;
    sl_recorder_on_full(beside.recorder, discard, NULL);
    sl_recorder_set_clock(beside.recorder, clock);
    return 0;
}

static int open_method(struct reader *from, struct sl_diag *diag)
{
    struct sl_runtime_log log;
    take_value(from, &log, sizeof(log));
    const char *path = take_text(from), *data = take_text(from), *name = take_text(from);
    int rc = path && name ? 0 : SL_E_FORMAT;
    if (rc == 0 && data)
        rc = sl_data_open(data, &log, &beside.data, diag);
    if (rc == 0)
        rc = sl_model_open(path, NULL, &log, &beside.model, diag);
    if (rc != 0)
        return rc;
    sl_model_set_data(beside.model, beside.data);
    rc = sl_method_new(beside.model, name, &beside.method, diag);
    if (rc != 0)
        return rc;
    sl_method_set_workers(beside.method, NULL);
    sl_method_reset(beside.method); /* variants apart are a pair */
    return 0;
}

static int open_beside(struct reader *from, struct sl_recorder_clock clock, struct sl_buf *events,
                       struct sl_diag *diag)
{
    uint32_t isa = 0;
    bool traced = false;
    take_value(from, &isa, sizeof(isa));
    take_value(from, &traced, sizeof(traced));
    int rc = traced ? open_recorder(clock) : 0;
    if (rc == 0)
        rc = open_method(from, diag);
    if (rc == 0)
        rc = sl_variant_prepare(beside.method, beside.recorder, &beside.variant);
    if (rc != 0)
        return rc;
    sl_runtime_events_leave_current(beside.variant->events, sl_apart_shared());
    beside.variant->packed = events;
    return sl_variant_load_here(beside.variant, isa, diag);
}

static int execute_beside(struct reader *from, struct sl_recorder_clock clock,
                          struct sl_buf *events, struct sl_diag *diag)
{
    int traced = 0, rc = 0;
    if (!beside.variant || !beside.variant->plan)
        return SL_E_STATE;
    take_value(from, &traced, sizeof(traced));
    for (size_t i = 0; i < beside.method->of.inputs && rc == 0; i++) {
        struct sl_input *input = &beside.method->inputs[i];
        take_value(from, input->sizes, input->view.rank * sizeof(*input->sizes));
        struct sl_bytes bytes = take(from);
        input->bytes.size = 0;
        rc = from->whole ? sl_buf_append(&input->bytes, bytes.data, bytes.size) : SL_E_FORMAT;
    }
    if (rc != 0 || !from->whole)
        return rc != 0 ? rc : SL_E_FORMAT;
    if (beside.recorder)
        sl_recorder_set_clock(beside.recorder, clock);
    beside.variant->packed = events;
    return sl_variant_execute_here(beside.variant, traced, diag);
}

int sl_executorch_answer(struct sl_bytes question, struct sl_buf *reply)
{
    uint32_t kind;
    struct sl_recorder_clock clock = {SL_TRACE_NS, 0};
    struct sl_diag diag = {.what = ""};
    struct sl_buf events;
    if (question.size < sizeof(kind))
        return SL_E_FORMAT;
    memcpy(&kind, question.data, sizeof(kind));
    struct reader from = {{question.data + sizeof(kind), question.size - sizeof(kind)}, true};
    if (kind == SL_APART_IMAGE)
        return sl_features_image(from.left, reply);
    sl_buf_init(&events, SIZE_MAX / 2);
    take_value(&from, &clock, sizeof(clock));
    int rc = kind == SL_APART_LOAD ? open_beside(&from, clock, &events, &diag)
                                   : execute_beside(&from, clock, &events, &diag);
    struct writer to = {reply, 0};
    if (beside.recorder)
        clock = sl_recorder_get_clock(beside.recorder);
    put(&to, &clock, sizeof(clock));
    put(&to, &diag, sizeof(diag));
    put(&to, events.data, events.size);
    for (size_t i = 0; i < (rc == 0 && kind == SL_APART_EXECUTE ? beside.method->of.outputs : 0);
         i++)
        write_output(&to, &beside.variant->outputs[i]);
    sl_buf_fini(&events);
    return rc != 0 ? rc : to.rc;
}
