/* agent/executorch/apart_variant.cpp: both sides of a variant that is executed in the process
 * beside this one. */
#include "agent/executorch/variant.hpp"

#include <signal.h>

extern "C" {
#include "agent/executorch/apart.h"
#include "agent/executorch/apart_variant.h"
#include "agent/executorch/features.h"
#include "agent/trace/recorder.h"
#include "agent/trace/ring.h"
#include "common/format/sltrace.h"
}

namespace
{

/* The two ways of a question and its answer. Both sides are this program. */
struct Writer {
    sl_buf *to;
    int rc = 0;

    void bytes(const void *data, size_t size)
    {
        uint64_t length = size;
        if (rc == 0)
            rc = sl_buf_append(to, &length, sizeof(length));
        if (rc == 0)
            rc = sl_buf_append(to, data, size);
    }
    template <class T>
    void value(const T &it)
    {
        bytes(&it, sizeof(it));
    }
    template <class T>
    void list(const T *items, size_t count)
    {
        bytes(items, count * sizeof(*items));
    }
};
struct Reader {
    sl_bytes left;
    bool whole = true; /* nothing was missing so far */

    sl_bytes bytes()
    {
        uint64_t length = 0;
        if (left.size >= sizeof(length))
            memcpy(&length, left.data, sizeof(length));
        whole = whole && left.size >= sizeof(length) && length <= left.size - sizeof(length);
        if (!whole)
            return sl_bytes{};
        sl_bytes found{left.data + sizeof(length), (size_t)length};
        left.data = found.data + found.size;
        left.size -= sizeof(length) + found.size;
        return found;
    }
    template <class T>
    T value()
    {
        T it{};
        sl_bytes found = bytes();
        whole = whole && found.size == sizeof(it);
        if (whole)
            memcpy(&it, found.data, sizeof(it));
        return it;
    }
    template <class T>
    std::vector<T> list()
    {
        sl_bytes found = bytes();
        std::vector<T> items(found.size / sizeof(T));
        if (!items.empty())
            memcpy(items.data(), found.data, items.size() * sizeof(T));
        return items;
    }
    std::string text()
    {
        sl_bytes found = bytes();
        return std::string(found.data, found.data + found.size);
    }
};

} // namespace

/* The process beside ended by a signal: so does this one, where the run's owner sees it, and finds
 * what it was doing. */
static void end_by(const sl_variant *v, int number)
{
    const char *current = sl_apart_shared();
    sl_mark_pause();
    if (v->recorder && current && current[0])
        sl_recorder_enter(v->recorder, current);
    sl_mark_resume();
    signal(number, SIG_DFL);
    raise(number);
}

static void read_outputs(Reader &from, std::vector<Output> &outputs)
{
    for (Output &output : outputs) {
        output.view = from.value<sl_tensor_view>();
        output.sizes = from.list<SizesType>();
        output.dim_order = from.list<executorch::aten::DimOrderType>();
        output.bytes = from.list<uint8_t>();
        output.text = from.text();
        output.view.sizes = output.sizes.data();
        output.view.dim_order = output.dim_order.data();
        output.view.data = output.bytes.data();
        output.view.plain.text = output.text.c_str();
    }
}

/* Asks the process beside; both go on with one clock. */
static int ask_apart(sl_variant *v, const sl_buf *question, sl_diag *diag)
{
    sl_buf reply;
    int number = 0;
    sl_buf_init(&reply, SIZE_MAX / 2);
    int rc = sl_apart_ask(question, &reply, &number);
    if (rc == SL_E_CRASHED)
        end_by(v, number);
    Reader from{{reply.data, reply.size}};
    auto clock = from.value<sl_recorder_clock>();
    auto told = from.value<sl_diag>();
    sl_bytes events = from.bytes();
    if (rc == 0 || from.whole) {
        if (v->recorder && from.whole)
            sl_recorder_set_clock(v->recorder, clock);
        if (diag && from.whole)
            *diag = told;
        if (rc == 0 && from.left.size > 0)
            read_outputs(from, v->outputs);
        if (rc == 0 && !from.whole)
            rc = SL_E_FORMAT;
        if (rc == 0 && v->recorder)
            rc = sl_events_unpack(v->tracer->events, events);
    } else {
        rc = sl_diag_set(diag, rc, "ExecuTorch", "the process of the second variant ended");
    }
    sl_buf_fini(&reply);
    return rc;
}

static sl_recorder_clock clock_of(const sl_variant *v)
{
    return v->recorder ? sl_recorder_get_clock(v->recorder) : sl_recorder_clock{SL_TRACE_NS, 0};
}

static void begin_question(Writer &to, uint32_t kind, const sl_variant *v)
{
    to.rc = sl_buf_append(to.to, &kind, sizeof(kind));
    to.value(clock_of(v));
}

int sl_variant_load_apart(sl_variant *v, uint32_t isa, sl_diag *diag)
{
    const sl_model *model = v->method->model;
    const std::string data = model->data ? model->data->path : "";
    sl_buf question;
    sl_buf_init(&question, SIZE_MAX / 2);
    Writer to{&question};
    begin_question(to, SL_APART_LOAD, v);
    to.value(isa);
    to.value(v->recorder != nullptr);
    to.value(sl_executorch_log); /* both processes have one program at one place */
    to.list(model->path.data(), model->path.size());
    to.list(data.data(), data.size());
    to.list(v->method->name.data(), v->method->name.size());
    const std::string why =
        std::string("This variant gets a process of its own: ") + sl_features_why_apart();
    if (sl_executorch_log.log)
        sl_executorch_log.log(sl_executorch_log.user, 'I', __FILE__, __LINE__, why.c_str());
    v->apart = true;
    v->outputs.resize(sl_method_output_count(v->method));
    int rc = to.rc == 0 ? ask_apart(v, &question, diag) : to.rc;
    sl_buf_fini(&question);
    return rc;
}

int sl_variant_execute_apart(sl_variant *v, int traced, sl_diag *diag)
{
    sl_buf question;
    sl_buf_init(&question, SIZE_MAX / 2);
    Writer to{&question};
    begin_question(to, SL_APART_EXECUTE, v);
    to.value(traced);
    for (const Input &input : v->method->inputs) {
        to.list(input.sizes.data(), input.sizes.size());
        to.list(input.bytes.data(), input.bytes.size());
    }
    int rc = to.rc == 0 ? ask_apart(v, &question, diag) : to.rc;
    sl_buf_fini(&question);
    return rc;
}

/* What the process beside has: one variant, and a recorder whose ring nobody reads. */
static struct {
    sl_model *model;
    sl_data *data;
    sl_method *method;
    sl_variant *variant;
    sl_ring *ring;
    sl_recorder *recorder;
} beside;

static void discard(void *)
{
    sl_trace_record records[64];
    while (sl_ring_pop(beside.ring, records, 64) > 0) {
    }
}

static int open_recorder(void)
{
    enum { RING_RECORDS = 256 };
    int rc = sl_ring_new(RING_RECORDS, &beside.ring);
    if (rc == 0)
        rc = sl_recorder_new(beside.ring, SL_TRACE_NS, 0, &beside.recorder);
    if (rc == 0)
        sl_recorder_on_full(beside.recorder, discard, nullptr);
    return rc;
}

static int open_beside(Reader &from, sl_recorder_clock clock, sl_buf *events, sl_diag *diag)
{
    auto isa = from.value<uint32_t>();
    bool traced = from.value<bool>();
    auto log = from.value<sl_runtime_log>();
    std::string path = from.text(), data = from.text(), name = from.text();
    int rc = from.whole ? 0 : SL_E_FORMAT;
    if (rc == 0 && traced)
        rc = open_recorder();
    if (rc == 0 && traced)
        sl_recorder_set_clock(beside.recorder, clock);
    if (rc == 0 && !data.empty())
        rc = sl_data_open(data.c_str(), &log, &beside.data, diag);
    if (rc == 0)
        rc = sl_model_open(path.c_str(), nullptr, &log, &beside.model, diag);
    if (rc != 0)
        return rc;
    sl_model_set_data(beside.model, beside.data);
    rc = sl_method_new(beside.model, name.c_str(), &beside.method, diag);
    if (rc != 0)
        return rc;
    sl_method_set_workers(beside.method, nullptr);
    sl_method_reset(beside.method); /* variants apart are a pair */
    auto v = std::make_unique<sl_variant>();
    rc = sl_variant_set_up(v.get(), beside.method, beside.recorder);
    if (rc != 0)
        return rc;
    if (v->tracer->events)
        sl_events_leave_current(v->tracer->events, sl_apart_shared());
    v->packed = events;
    beside.variant = beside.method->last = v.release();
    return sl_variant_load_here(beside.variant, isa, diag);
}

static int execute_beside(Reader &from, sl_recorder_clock clock, sl_buf *events, sl_diag *diag)
{
    if (!beside.variant)
        return SL_E_STATE;
    auto traced = from.value<int>();
    for (Input &input : beside.method->inputs) {
        input.sizes = from.list<SizesType>();
        input.bytes = from.list<uint8_t>();
    }
    if (!from.whole)
        return SL_E_FORMAT;
    if (beside.recorder)
        sl_recorder_set_clock(beside.recorder, clock);
    beside.variant->packed = events;
    return sl_variant_execute_here(beside.variant, traced, diag);
}

static void write_outputs(Writer &to)
{
    for (size_t i = 0; i < sl_method_output_count(beside.method); i++) {
        sl_tensor_view view;
        sl_method_output(beside.method, i, &view);
        const char *text = view.plain.text ? view.plain.text : "";
        to.value(view);
        to.list(view.sizes, view.rank);
        to.list(view.dim_order, view.rank);
        to.bytes(view.data, view.nbytes);
        to.list(text, strlen(text));
    }
}

extern "C" int sl_executorch_answer(sl_bytes question, sl_buf *reply)
{
    uint32_t kind;
    sl_diag diag{};
    if (question.size < sizeof(kind))
        return SL_E_FORMAT;
    memcpy(&kind, question.data, sizeof(kind));
    Reader from{{question.data + sizeof(kind), question.size - sizeof(kind)}};
    if (kind == SL_APART_IMAGE)
        return sl_features_image(from.left, reply);
    sl_buf events;
    sl_buf_init(&events, SIZE_MAX / 2);
    auto clock = from.value<sl_recorder_clock>();
    int rc = kind == SL_APART_LOAD ? open_beside(from, clock, &events, &diag)
                                   : execute_beside(from, clock, &events, &diag);
    Writer to{reply};
    to.value(beside.recorder ? sl_recorder_get_clock(beside.recorder) : clock);
    to.value(diag);
    to.bytes(events.data, events.size);
    if (kind == SL_APART_EXECUTE && rc == 0)
        write_outputs(to);
    sl_buf_fini(&events);
    return rc != 0 ? rc : to.rc;
}
