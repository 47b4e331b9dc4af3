/* agent/executorch/executorch.cpp: all C++ that there is. */
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/clock.h>
#include <executorch/runtime/platform/runtime.h>

extern "C" {
#include "agent/executorch/events.h"
#include "agent/executorch/executorch.h"
#include "agent/runtime/runtime.h"
#include "agent/trace/marks.h"
}

using executorch::aten::DimOrderType;
using executorch::aten::ScalarType;
using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::extension::BufferDataLoader;
using executorch::extension::FileDataLoader;
using executorch::extension::FlatTensorDataMap;
using executorch::extension::MallocMemoryAllocator;
using executorch::extension::threadpool::NoThreadPoolGuard;
using namespace executorch::runtime;

sl_runtime_log sl_executorch_log;

/* A function of the libraries' that says the same always. */
#define ANSWER(function, answer)                                                                   \
    function override                                                                              \
    {                                                                                              \
        return answer;                                                                             \
    }
#define LOG_OUTPUT(value)                                                                          \
    Result<bool> log_intermediate_output_delegate(const char *, DelegateDebugIntId, value)

/* Tells events.h what happens. */
class Tracer final : public EventTracer
{
  public:
    explicit Tracer(sl_runtime_events *borrowed) : events(borrowed)
    {
    }

    /* Nothing counts but what a call of these costs: pause first, resume last. */
    EventTracerEntry start_profiling(const char *name, ChainID chain, DebugHandle handle) override
    {
        sl_mark_pause();
        EventTracerEntry entry{};
        bool unset = chain == kUnsetChainId;
        entry.event_id = sl_runtime_events_begin(events, name, unset ? chain_id_ : chain,
                                                 unset ? debug_handle_ : handle);
        sl_mark_resume();
        return entry;
    }
    void end_profiling(EventTracerEntry entry) override
    {
        sl_mark_pause();
        sl_runtime_events_end(events, entry.event_id);
        sl_mark_resume();
    }
    void log_profiling_delegate(const char *name, DelegateDebugIntId, et_timestamp_t start,
                                et_timestamp_t end, const void *, size_t) override
    {
        sl_runtime_events_delegate(events, name, chain_id_, debug_handle_,
                                   ticks_to_ns(end - start));
    }

    ANSWER(void create_event_block(const char *), ) /* the verb `run` opens blocks */
    ANSWER(EventTracerEntry start_profiling_delegate(const char *, DelegateDebugIntId), {})
    ANSWER(void end_profiling_delegate(EventTracerEntry, const void *, size_t), )
    ANSWER(void track_allocation(AllocatorID, size_t), )
    ANSWER(AllocatorID track_allocator(const char *), 0)
    ANSWER(Result<bool> log_evalue(const EValue &, LoggedEValueType), true)
    ANSWER(LOG_OUTPUT(const Tensor &), true)
    ANSWER(LOG_OUTPUT(const executorch::aten::ArrayRef<Tensor>), true)
    ANSWER(LOG_OUTPUT(const int &), true)
    ANSWER(LOG_OUTPUT(const bool &), true)
    ANSWER(LOG_OUTPUT(const double &), true)
    ANSWER(void set_delegation_intermediate_output_filter(EventTracerFilterBase *), )

  private:
    sl_runtime_events *events;
};

/* Stands for the file of external data where none is given: the libraries crash without any. They
 * look here first, for the data that the program itself holds too. */
class NoData final : public NamedDataMap
{
  public:
    explicit NoData(const Program &of) : program(of)
    {
    }

    Result<FreeableBuffer> get_data(std::string_view key) const override
    {
        if (program_has(key))
            return Error::NotFound;
        char words[128];
        snprintf(words, sizeof(words), "no data named '%.64s' is here: say --data_path",
                 std::string(key).c_str());
        if (sl_executorch_log.log)
            sl_executorch_log.log(sl_executorch_log.user, 'E', "executorch", __LINE__, words);
        return Error::NotFound;
    }
    ANSWER(Result<const TensorLayout> get_tensor_layout(std::string_view) const, Error::NotFound)
    ANSWER(Error load_data_into(std::string_view, void *, size_t) const, Error::NotFound)
    ANSWER(Result<uint32_t> get_num_keys() const, 0u)
    ANSWER(Result<const char *> get_key(uint32_t) const, Error::InvalidArgument)

  private:
    const Program &program;

    bool program_has(std::string_view key) const
    {
        Result<const NamedDataMap *> map = program.get_named_data_map();
        Result<uint32_t> count = map.ok() ? (*map)->get_num_keys() : map.error();
        for (uint32_t i = 0; count.ok() && i < *count; i++) {
            Result<const char *> own = (*map)->get_key(i);
            if (own.ok() && key == *own)
                return true;
        }
        return false;
    }
};

struct sl_executorch_program {
    std::unique_ptr<DataLoader> loader;
    std::unique_ptr<Program> program;
};

struct sl_data {
    std::string path;
    std::unique_ptr<DataLoader> loader;
    std::unique_ptr<FlatTensorDataMap> map;
};

struct sl_executorch_plan {
    NoData no_data;
    Tracer tracer;
    std::vector<Span<uint8_t>> buffers;
    MallocMemoryAllocator method_memory, temporary_memory;
    HierarchicalAllocator planned;
    MemoryManager memory;
    std::vector<std::unique_ptr<TensorImpl>> inputs;
    std::unique_ptr<Method> method;

    sl_executorch_plan(const Program &program, sl_runtime_events *events,
                       std::vector<Span<uint8_t>> spans)
        : no_data(program), tracer(events), buffers(std::move(spans)),
          planned({buffers.data(), buffers.size()}),
          memory(&method_memory, &planned, &temporary_memory)
    {
    }
};

static int failed(Error error)
{
    return error == Error::Ok ? 0 : SL_ET((int)error);
}

/* Puts the libraries' result on the heap; NULL with their error. */
template <class T>
static std::unique_ptr<T> keep(Result<T> made, int *out_rc)
{
    *out_rc = failed(made.error());
    return made.ok() ? std::make_unique<T>(std::move(*made)) : nullptr;
}

static void emit_log(et_timestamp_t, et_pal_log_level_t level, const char *file, const char *,
                     size_t line, const char *message, size_t)
{
    if (sl_executorch_log.log && level != kDebug)
        sl_executorch_log.log(sl_executorch_log.user, (char)level, file, (int)line, message);
}

const char *sl_executorch_version(void)
{
    return SL_EXECUTORCH_VERSION;
}

void sl_executorch_start(void)
{
    static const bool registered = register_pal(PalImpl::create(emit_log, __FILE__));
    if (registered)
        runtime_init();
}

void sl_executorch_use_pool(bool use)
{
    NoThreadPoolGuard::set_enabled(!use);
}

int sl_executorch_program_open(const char *path, sl_bytes bytes, sl_executorch_program **out)
{
    int rc = 0;
    auto opened = std::make_unique<sl_executorch_program>();
    if (bytes.size > 0)
        opened->loader = std::make_unique<BufferDataLoader>(bytes.data, bytes.size);
    else
        opened->loader = keep(FileDataLoader::from(path), &rc);
    if (!opened->loader)
        return SL_ET_ACCESS_FAILED;
    opened->program = keep(Program::load(opened->loader.get()), &rc);
    if (opened->program)
        *out = opened.release();
    return rc;
}

void sl_executorch_program_free(sl_executorch_program *program)
{
    delete program;
}

int sl_data_open(const char *path, const sl_runtime_log *log, sl_data **out, sl_diag *)
{
    int rc = 0;
    sl_executorch_log = log ? *log : sl_runtime_log{};
    auto opened = std::make_unique<sl_data>();
    opened->path = path;
    opened->loader = keep(FileDataLoader::from(path), &rc);
    if (!opened->loader)
        return SL_ET_ACCESS_FAILED;
    opened->map = keep(FlatTensorDataMap::load(opened->loader.get()), &rc);
    if (opened->map)
        *out = opened.release();
    return rc;
}

void sl_data_free(sl_data *data)
{
    delete data;
}

size_t sl_data_keys(const sl_data *data)
{
    Result<uint32_t> keys = data->map->get_num_keys();
    return keys.ok() ? *keys : 0;
}

const char *sl_executorch_data_path(const sl_data *data)
{
    return data->path.c_str();
}

int sl_executorch_method_find(const sl_executorch_program *program, const char *name,
                              sl_executorch_method *out)
{
    if (!name || !name[0]) {
        Result<const char *> first = program->program->get_method_name(0);
        if (!first.ok())
            return failed(first.error());
        name = *first;
    }
    Result<MethodMeta> meta = program->program->method_meta(name);
    if (meta.ok())
        *out = {meta->name(), meta->num_inputs(), meta->num_outputs(),
                meta->num_memory_planned_buffers()};
    return failed(meta.error());
}

int sl_executorch_method_input(const sl_executorch_program *program, const char *name, size_t i,
                               sl_tensor_view *out)
{
    Result<MethodMeta> meta = program->program->method_meta(name);
    if (!meta.ok())
        return failed(meta.error());
    Result<Tag> tag = meta->input_tag(i);
    if (!tag.ok())
        return failed(tag.error());
    sl_tensor_view view{};
    view.scalar_type = -1;
    view.plain.kind = (int)*tag; /* enum sl_pte_value_kind (common/format/pte.h) has its numbers */
    if (*tag == Tag::Tensor) {
        Result<TensorInfo> info = meta->input_tensor_meta(i);
        if (!info.ok())
            return failed(info.error());
        view.scalar_type = (int)info->scalar_type();
        view.rank = info->sizes().size();
        view.sizes = info->sizes().data();
        view.dim_order = info->dim_order().data();
        view.nbytes = view.max_nbytes = info->nbytes();
    }
    *out = view;
    return 0;
}

size_t sl_executorch_planned_bytes(const sl_executorch_program *program, const char *name,
                                   size_t buffer)
{
    Result<MethodMeta> meta = program->program->method_meta(name);
    if (!meta.ok())
        return 0;
    Result<int64_t> size = meta->memory_planned_buffer_size(buffer);
    return size.ok() && *size > 0 ? (size_t)*size : 0;
}

int sl_executorch_plan_new(const sl_executorch_program *program, const char *name,
                           const sl_executorch_span *buffers, size_t count, const sl_data *data,
                           sl_runtime_events *events, sl_executorch_plan **out)
{
    int rc;
    std::vector<Span<uint8_t>> spans;
    for (size_t i = 0; i < count; i++)
        spans.push_back({buffers[i].data, buffers[i].size});
    auto plan = std::make_unique<sl_executorch_plan>(*program->program, events, std::move(spans));
    const NamedDataMap *map = data ? (const NamedDataMap *)data->map.get() : &plan->no_data;
    plan->method =
        keep(program->program->load_method(name, &plan->memory, &plan->tracer, map), &rc);
    if (plan->method) {
        plan->inputs.resize(plan->method->inputs_size());
        *out = plan.release();
    }
    return rc;
}

void sl_executorch_plan_free(sl_executorch_plan *plan)
{
    delete plan;
}

int sl_executorch_plan_set_input(sl_executorch_plan *plan, size_t i, const sl_tensor_view *input)
{
    EValue value;
    if (input->scalar_type >= 0) {
        plan->inputs[i] = std::make_unique<TensorImpl>(
            (ScalarType)input->scalar_type, (ssize_t)input->rank,
            const_cast<SizesType *>(input->sizes), const_cast<void *>(input->data),
            const_cast<DimOrderType *>(input->dim_order));
        value = EValue(Tensor(plan->inputs[i].get()));
    } else if (input->plain.kind == (int)Tag::Int) {
        value = EValue(input->plain.int_value);
    } else if (input->plain.kind == (int)Tag::Double) {
        value = EValue(input->plain.double_value);
    } else if (input->plain.kind == (int)Tag::Bool) {
        value = EValue(input->plain.int_value != 0);
    } else {
        return 0;
    }
    return failed(plan->method->set_input(value, i));
}

int sl_executorch_plan_execute(sl_executorch_plan *plan)
{
    return failed(plan->method->execute());
}

static sl_plain_value plain_value(const EValue &value)
{
    sl_plain_value plain{};
    plain.kind = (int)value.tag;
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

void sl_executorch_plan_output(const sl_executorch_plan *plan, size_t i, sl_tensor_view *out)
{
    const EValue &value = plan->method->get_output(i);
    *out = sl_tensor_view{};
    out->scalar_type = -1;
    if (!value.isTensor()) {
        out->plain = plain_value(value);
        return;
    }
    const Tensor &tensor = value.toTensor();
    out->scalar_type = (int)tensor.scalar_type();
    out->rank = (size_t)tensor.dim();
    out->sizes = tensor.sizes().data();
    out->dim_order = tensor.dim_order().data();
    out->nbytes = out->max_nbytes = tensor.nbytes();
    out->data = tensor.const_data_ptr();
}
