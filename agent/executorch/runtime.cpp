/* agent/executorch/runtime.cpp: agent/runtime/runtime.h once more, by ExecuTorch's own libraries.
 *
 * The verb `run` is linked with this in place of our own runtime, so that flags, schedule, recorder
 * and outputs are the same code. Each variant is a Method of its own, with its own memory; both
 * live in one process (features.h). This is all C++ that there is. Source of the calls: the headers
 * in the ExecuTorch 1.5 wheel. */
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/runtime.h>

extern "C" {
#include "agent/executorch/events.h"
#include "agent/executorch/features.h"
#include "agent/executorch/kernel_calls.h"
#include "agent/executorch/stamps.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/workers.h"
#include "common/base/error.h"
#include "common/format/scalar_type.h"
}

using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::extension::FileDataLoader;
using executorch::extension::FlatTensorDataMap;
using executorch::extension::MallocMemoryAllocator;
using executorch::extension::threadpool::NoThreadPoolGuard;
using namespace executorch::runtime;

static sl_runtime_log runtime_log;
static uint32_t pool_threads = 1;

/* The libraries ask this for the size of their pool. With 1 no thread ever starts. */
namespace executorch::extension::cpuinfo
{
uint32_t get_num_performant_cores();
uint32_t get_num_performant_cores()
{
    return pool_threads;
}
} // namespace executorch::extension::cpuinfo

static void emit_log(et_timestamp_t, et_pal_log_level_t level, const char *file, const char *,
                     size_t line, const char *message, size_t)
{
    if (runtime_log.log && level != kDebug)
        runtime_log.log(runtime_log.user, (char)level, file, (int)line, message);
}

namespace
{

/* Tells events.h what happens. */
class Tracer final : public EventTracer
{
  public:
    ~Tracer() override
    {
        sl_events_free(events);
    }

    sl_events *events = nullptr;       /* owned; NULL: untraced */
    bool whole = false, inner = false; /* what is recorded: Method::execute, what is in it */

    EventTracerEntry start_profiling(const char *name, ChainID chain, DebugHandle handle) override
    {
        EventTracerEntry entry{};
        bool wanted = inner || (whole && strcmp(name, "Method::execute") == 0);
        bool unset = chain == kUnsetChainId;
        entry.event_id = -1;
        if (events && wanted)
            entry.event_id = sl_events_begin(events, name, unset ? chain_id_ : chain,
                                             unset ? debug_handle_ : handle);
        return entry;
    }
    void end_profiling(EventTracerEntry entry) override
    {
        if (events)
            sl_events_end(events, entry.event_id);
    }
    void log_profiling_delegate(const char *name, DelegateDebugIntId, et_timestamp_t,
                                et_timestamp_t, const void *, size_t) override
    {
        if (events && inner)
            sl_events_delegate(events, name, chain_id_, debug_handle_);
    }

    void create_event_block(const char *) override
    {
    } /* the verb `run` opens blocks */
    EventTracerEntry start_profiling_delegate(const char *, DelegateDebugIntId) override
    {
        return {};
    }
    void end_profiling_delegate(EventTracerEntry, const void *, size_t) override
    {
    }
    void track_allocation(AllocatorID, size_t) override
    {
    }
    AllocatorID track_allocator(const char *) override
    {
        return 0;
    }
    Result<bool> log_evalue(const EValue &, LoggedEValueType) override
    {
        return true;
    }
    Result<bool> log_intermediate_output_delegate(const char *, DelegateDebugIntId,
                                                  const Tensor &) override
    {
        return true;
    }
    Result<bool> log_intermediate_output_delegate(const char *, DelegateDebugIntId,
                                                  const executorch::aten::ArrayRef<Tensor>) override
    {
        return true;
    }
    Result<bool> log_intermediate_output_delegate(const char *, DelegateDebugIntId,
                                                  const int &) override
    {
        return true;
    }
    Result<bool> log_intermediate_output_delegate(const char *, DelegateDebugIntId,
                                                  const bool &) override
    {
        return true;
    }
    Result<bool> log_intermediate_output_delegate(const char *, DelegateDebugIntId,
                                                  const double &) override
    {
        return true;
    }
    void set_delegation_intermediate_output_filter(EventTracerFilterBase *) override
    {
    }
};

/* What one input takes, and the bytes that were set last. */
struct Input {
    Tag tag = Tag::None;
    executorch::aten::ScalarType type{};
    std::vector<SizesType> sizes, bounds;
    std::vector<executorch::aten::DimOrderType> dim_order;
    std::vector<uint8_t> bytes;

    size_t count(const std::vector<SizesType> &of) const
    {
        size_t n = 1;
        for (SizesType size : of)
            n *= (size_t)size;
        return n;
    }
    size_t nbytes(const std::vector<SizesType> &of) const
    {
        return count(of) * executorch::runtime::elementSize(type);
    }
};

} // namespace

struct sl_data {
    std::unique_ptr<FileDataLoader> loader;
    std::unique_ptr<FlatTensorDataMap> map;
};

struct sl_model {
    std::string path;
    std::unique_ptr<FileDataLoader> loader;
    std::unique_ptr<Program> program;
    const sl_data *data = nullptr;
};

struct sl_method {
    sl_model *model;
    std::string name;
    std::unique_ptr<MethodMeta> meta;
    std::vector<Input> inputs;
    sl_variant *last =
        nullptr; /* whose outputs are the method's: that was executed last, or made */
};

struct sl_variant {
    sl_method *method = nullptr;
    std::unique_ptr<Tracer> tracer;
    std::vector<std::unique_ptr<uint8_t[]>> buffers;
    std::vector<Span<uint8_t>> spans;
    MallocMemoryAllocator method_memory, temporary_memory;
    std::unique_ptr<HierarchicalAllocator> planned;
    std::unique_ptr<MemoryManager> memory;
    std::unique_ptr<Method> plan;
    sl_recorder *recorder = nullptr;
    std::vector<std::unique_ptr<TensorImpl>> tensors; /* of the inputs of this execution */
};

static int failed(Error error)
{
    return (int)error; /* enum sl_et_error has the same numbers */
}

static int no_memory(sl_diag *diag)
{
    return sl_diag_set(diag, SL_ET_MEMORY_ALLOCATION_FAILED, nullptr, "there is not enough memory");
}

static std::unique_ptr<FileDataLoader> open_file(const char *path, Error *out_error)
{
    Result<FileDataLoader> loader = FileDataLoader::from(path);
    *out_error = loader.error();
    if (!loader.ok())
        return nullptr;
    return std::make_unique<FileDataLoader>(std::move(*loader));
}

extern "C" const char *sl_runtime_version(void)
{
    return "ExecuTorch " SL_EXECUTORCH_VERSION;
}

extern "C" int sl_model_open(const char *path, const sl_runtime_limits *, const sl_runtime_log *log,
                             sl_model **out, sl_diag *)
{
    static bool started;
    Error error;
    runtime_log = log ? *log : sl_runtime_log{};
    if (!started) {
        register_pal(PalImpl::create(emit_log, __FILE__));
        runtime_init();
        started = true;
    }
    auto model = std::make_unique<sl_model>();
    model->path = path;
    model->loader = open_file(path, &error);
    if (!model->loader)
        return SL_ET_ACCESS_FAILED;
    Result<Program> program = Program::load(model->loader.get());
    if (!program.ok())
        return failed(program.error());
    model->program = std::make_unique<Program>(std::move(*program));
    *out = model.release();
    return 0;
}

extern "C" void sl_model_free(sl_model *model)
{
    delete model;
}

/* Its libraries have no reader of bundled programs: Program::load() refuses them. */
extern "C" const sl_bundle *sl_model_bundle(const sl_model *)
{
    return nullptr;
}

extern "C" int sl_data_open(const char *path, const sl_runtime_log *log, sl_data **out, sl_diag *)
{
    Error error;
    runtime_log = log ? *log : sl_runtime_log{};
    auto data = std::make_unique<sl_data>();
    data->loader = open_file(path, &error);
    if (!data->loader)
        return SL_ET_ACCESS_FAILED;
    Result<FlatTensorDataMap> map = FlatTensorDataMap::load(data->loader.get());
    if (!map.ok())
        return failed(map.error());
    data->map = std::make_unique<FlatTensorDataMap>(std::move(*map));
    *out = data.release();
    return 0;
}

extern "C" size_t sl_data_keys(const sl_data *data)
{
    Result<uint32_t> keys = data->map->get_num_keys();
    return keys.ok() ? *keys : 0;
}

extern "C" void sl_data_free(sl_data *data)
{
    delete data;
}

extern "C" void sl_model_set_data(sl_model *model, const sl_data *data)
{
    model->data = data;
}

extern "C" int sl_model_set_weight_cache(sl_model *, const char *, uint64_t)
{
    return SL_E_UNSUPPORTED;
}

static int read_input(const MethodMeta &meta, size_t i, Input *out)
{
    Result<Tag> tag = meta.input_tag(i);
    if (!tag.ok())
        return failed(tag.error());
    out->tag = *tag;
    if (*tag != Tag::Tensor)
        return 0;
    Result<TensorInfo> info = meta.input_tensor_meta(i);
    if (!info.ok())
        return failed(info.error());
    out->type = info->scalar_type();
    out->bounds.assign(info->sizes().begin(), info->sizes().end());
    out->sizes = out->bounds;
    out->dim_order.assign(info->dim_order().begin(), info->dim_order().end());
    return 0;
}

extern "C" int sl_method_new(sl_model *model, const char *name, sl_method **out, sl_diag *)
{
    auto method = std::make_unique<sl_method>();
    method->model = model;
    if (name && name[0]) {
        method->name = name;
    } else {
        Result<const char *> first = model->program->get_method_name(0);
        if (!first.ok())
            return failed(first.error());
        method->name = *first;
    }
    Result<MethodMeta> meta = model->program->method_meta(method->name.c_str());
    if (!meta.ok())
        return failed(meta.error());
    method->meta = std::make_unique<MethodMeta>(*meta);
    method->inputs.resize(meta->num_inputs());
    for (size_t i = 0; i < method->inputs.size(); i++) {
        int rc = read_input(*meta, i, &method->inputs[i]);
        if (rc != 0)
            return rc;
    }
    *out = method.release();
    return 0;
}

extern "C" void sl_method_free(sl_method *method)
{
    delete method;
}

extern "C" void sl_method_set_workers(sl_method *, sl_workers *workers)
{
    pool_threads = sl_workers_count(workers, false);
    NoThreadPoolGuard::set_enabled(pool_threads == 1);
}

extern "C" const char *sl_method_name(const sl_method *method)
{
    return method->name.c_str();
}

extern "C" size_t sl_method_planned_buffers(const sl_method *method)
{
    return method->meta->num_memory_planned_buffers();
}

extern "C" size_t sl_method_planned_bytes(const sl_method *method, size_t buffer)
{
    Result<int64_t> size = method->meta->memory_planned_buffer_size(buffer);
    return size.ok() && *size > 0 ? (size_t)*size : 0;
}

extern "C" size_t sl_method_input_count(const sl_method *method)
{
    return method->inputs.size();
}

extern "C" size_t sl_method_output_count(const sl_method *method)
{
    return method->meta->num_outputs();
}

extern "C" int sl_method_input(const sl_method *method, size_t i, sl_tensor_view *out)
{
    const Input &input = method->inputs[i];
    *out = sl_tensor_view{};
    out->scalar_type = -1;
    if (input.tag != Tag::Tensor)
        return 0;
    out->scalar_type = (int)input.type;
    out->rank = input.sizes.size();
    out->sizes = input.sizes.data();
    out->dim_order = input.dim_order.data();
    out->nbytes = input.nbytes(input.sizes);
    out->max_nbytes = input.nbytes(input.bounds);
    out->data = input.bytes.data();
    return 0;
}

static sl_plain_value plain_value(const EValue &value)
{
    sl_plain_value plain{};
    plain.kind =
        (int)value.tag; /* enum sl_pte_value_kind (common/format/pte.h) has the same numbers */
    if (value.isInt())
        plain.int_value = value.toInt();
    else if (value.isBool())
        plain.int_value = value.toBool();
    else if (value.isDouble())
        plain.double_value = value.toDouble();
    else if (value.isString())
        plain.text = value.toString().data();
    return plain;
}

extern "C" int sl_method_output(const sl_method *method, size_t i, sl_tensor_view *out)
{
    const EValue &value = method->last->plan->get_output(i);
    *out = sl_tensor_view{};
    out->scalar_type = -1;
    if (!value.isTensor()) {
        out->plain = plain_value(value);
        return 0;
    }
    const Tensor &tensor = value.toTensor();
    out->scalar_type = (int)tensor.scalar_type();
    out->rank = (size_t)tensor.dim();
    out->sizes = tensor.sizes().data();
    out->dim_order = tensor.dim_order().data();
    out->nbytes = out->max_nbytes = tensor.nbytes();
    out->data = tensor.const_data_ptr();
    return 0;
}

extern "C" int sl_method_resize_input(sl_method *method, size_t i, const int32_t *sizes,
                                      sl_diag *diag)
{
    Input &input = method->inputs[i];
    for (size_t d = 0; d < input.bounds.size(); d++) {
        if (sizes[d] < 0 || sizes[d] > input.bounds[d])
            return sl_diag_set(diag, SL_ET_NOT_SUPPORTED, "--input-shapes",
                               "dimension %zu of input %zu is %d, and the program allows 0 to %d",
                               d, i, (int)sizes[d], (int)input.bounds[d]);
    }
    input.sizes.assign(sizes, sizes + input.bounds.size());
    return 0;
}

extern "C" int sl_method_set_input(sl_method *method, size_t i, const void *data, size_t nbytes,
                                   sl_diag *)
{
    Input &input = method->inputs[i];
    if (input.tag == Tag::Tensor && nbytes != input.nbytes(input.sizes))
        return SL_ET_INVALID_ARGUMENT;
    const uint8_t *bytes = (const uint8_t *)data;
    input.bytes.assign(bytes, bytes + nbytes);
    return 0;
}

/* The bytes of 1 in a type; how many. */
static size_t one(executorch::aten::ScalarType type, uint8_t out[16])
{
    static const float single = 1;
    static const double twice = 1;
    size_t size = executorch::runtime::elementSize(type);
    memset(out, 0, 16);
    switch ((int)type) {
    case SL_SCALAR_HALF:
        out[1] = 0x3c;
        break;
    case SL_SCALAR_BFLOAT16:
        out[0] = 0x80;
        out[1] = 0x3f;
        break;
    case SL_SCALAR_FLOAT:
        memcpy(out, &single, sizeof(single));
        break;
    case SL_SCALAR_DOUBLE:
        memcpy(out, &twice, sizeof(twice));
        break;
    default:
        out[0] = 1; /* integers, little-endian */
        break;
    }
    return size;
}

/* Each variant is a method of its own here, and none goes on where another ended. */
extern "C" void sl_method_reset(sl_method *)
{
}

extern "C" int sl_method_fill_inputs(sl_method *method, sl_diag *)
{
    for (Input &input : method->inputs) {
        uint8_t value[16];
        if (input.tag != Tag::Tensor)
            continue;
        size_t size = one(input.type, value);
        input.bytes.resize(input.nbytes(input.sizes));
        for (size_t at = 0; size > 0 && at + size <= input.bytes.size(); at += size)
            memcpy(&input.bytes[at], value, size);
    }
    return 0;
}

static int plan_memory(sl_variant *v)
{
    for (size_t i = 0; i < sl_method_planned_buffers(v->method); i++) {
        size_t size = sl_method_planned_bytes(v->method, i);
        v->buffers.emplace_back(new (std::align_val_t(64), std::nothrow) uint8_t[size]());
        if (!v->buffers.back())
            return -1;
        v->spans.push_back({v->buffers.back().get(), size});
    }
    v->planned = std::make_unique<HierarchicalAllocator>(
        Span<Span<uint8_t>>(v->spans.data(), v->spans.size()));
    v->memory =
        std::make_unique<MemoryManager>(&v->method_memory, v->planned.get(), &v->temporary_memory);
    return 0;
}

static int load_plan(sl_variant *v, sl_recorder *recorder)
{
    const sl_model *model = v->method->model;
    v->tracer = std::make_unique<Tracer>();
    v->tracer->events = recorder ? sl_events_new(recorder) : nullptr;
    if (recorder && !v->tracer->events)
        return SL_ET_MEMORY_ALLOCATION_FAILED;
    v->tracer->inner = true;
    Result<Method> plan =
        model->program->load_method(v->method->name.c_str(), v->memory.get(), v->tracer.get(),
                                    model->data ? model->data->map.get() : nullptr);
    if (!plan.ok())
        return failed(plan.error());
    v->plan = std::make_unique<Method>(std::move(*plan));
    return recorder ? sl_events_flush(v->tracer->events) : 0;
}

extern "C" int sl_variant_new(sl_method *method, uint32_t isa, uint16_t, sl_recorder *recorder,
                              sl_variant **out, sl_diag *diag)
{
    int rc = sl_features_use(isa, diag);
    if (rc < 0)
        return rc;
    if (!sl_stamps_open(sl_features_delegate()))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "ExecuTorch",
                           "these libraries have no XNNProfiler to time operators by");
    sl_kernel_calls_open(sl_features_delegate());
    auto v = std::make_unique<sl_variant>();
    v->method = method;
    v->recorder = recorder;
    if (plan_memory(v.get()) != 0)
        return no_memory(diag);
    rc = load_plan(v.get(), recorder);
    if (rc != 0)
        return rc;
    method->last = v.get();
    *out = v.release();
    return 0;
}

extern "C" void sl_variant_free(sl_variant *v)
{
    delete v;
}

/* What the libraries pack they do not tell. */
extern "C" size_t sl_variant_packed_bytes(const sl_variant *)
{
    return SIZE_MAX;
}

extern "C" size_t sl_variant_events(const sl_variant *v)
{
    return v->tracer->events ? sl_events_count(v->tracer->events) : 0;
}

static int bind_input(sl_variant *v, size_t i)
{
    Input &input = v->method->inputs[i];
    if (input.tag == Tag::Tensor) {
        v->tensors.push_back(std::make_unique<TensorImpl>(input.type, (ssize_t)input.sizes.size(),
                                                          input.sizes.data(), input.bytes.data(),
                                                          input.dim_order.data()));
        return failed(v->plan->set_input(EValue(Tensor(v->tensors.back().get())), i));
    }
    EValue value;
    if (input.tag == Tag::Int && input.bytes.size() == sizeof(int64_t)) {
        int64_t number;
        memcpy(&number, input.bytes.data(), sizeof(number));
        value = EValue(number);
    } else if (input.tag == Tag::Double && input.bytes.size() == sizeof(double)) {
        double number;
        memcpy(&number, input.bytes.data(), sizeof(number));
        value = EValue(number);
    } else if (input.tag == Tag::Bool && input.bytes.size() == 1) {
        value = EValue(input.bytes[0] != 0);
    } else {
        return 0; /* not set: what the program was traced with stays */
    }
    return failed(v->plan->set_input(value, i));
}

/* Inputs before every execution: their planned memory is used for other values too. */
extern "C" int sl_variant_execute(sl_variant *v, int traced, sl_diag *diag)
{
    v->tensors.clear();
    for (size_t i = 0; i < v->method->inputs.size(); i++) {
        int rc = bind_input(v, i);
        if (rc != 0)
            return rc;
    }
    v->tracer->whole = traced == SL_VARIANT_WHOLE;
    v->tracer->inner = traced == SL_VARIANT_TRACED || traced == SL_VARIANT_WARM_UP;
    v->method->last = v;
    int watching = sl_kernel_calls_watch(traced == SL_VARIANT_WARM_UP);
    sl_stamps_record(v->tracer->inner ? v->recorder : nullptr);
    Error error = v->plan->execute();
    sl_stamps_record(nullptr);
    if (watching == 0)
        watching = sl_kernel_calls_watch(false);
    if (watching < 0)
        return sl_diag_set(diag, watching, "ExecuTorch",
                           "the table of its delegate's calls cannot be written");
    int rc = v->recorder ? sl_events_flush(v->tracer->events) : 0;
    if (error != Error::Ok)
        return failed(error);
    if (rc == SL_E_STATE)
        return sl_diag_set(diag, rc, "ExecuTorch",
                           "its delegate named more operators than it asked the clock for");
    return rc;
}
