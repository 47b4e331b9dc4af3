/* agent/executorch/runtime.cpp: agent/runtime/runtime.h once more, by ExecuTorch's own libraries.
 *
 * The verb `run` is linked with this in place of our own runtime, so that flags, schedule, recorder
 * and outputs are the same code. Each variant is a Method of its own, with its own memory; both
 * live in one process (features.h), or one of them beside it (apart.h). This and
 * apart_variant.cpp are all C++ that there is. Source of the calls: the headers
 * in the ExecuTorch 1.5 wheel. */
#include "agent/executorch/variant.hpp"

#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/platform/runtime.h>

#include <dlfcn.h>

#include <cstdio>
#include <new>

extern "C" {
#include "agent/executorch/features.h"
#include "agent/executorch/kept_state.h"
#include "agent/executorch/kernel_calls.h"
#include "agent/executorch/libraries.h"
#include "agent/executorch/pool.h"
#include "agent/executorch/stamps.h"
#include "agent/executorch/steady_heap.h"
#include "agent/runtime/lockstep.h"
#include "agent/runtime/workers.h"
#include "agent/trace/recorder.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/scalar_type.h"
#include "common/format/sltrace.h"
#include "kernels/cpu/isa.h"
}

using executorch::extension::BufferDataLoader;
using executorch::extension::threadpool::NoThreadPoolGuard;

sl_runtime_log sl_executorch_log;

static bool has_two_processes; /* a variant could not be loaded beside another */

/* The libraries ask this for the size of their pool. With 1 no thread ever starts. */
namespace executorch::extension::cpuinfo
{
uint32_t get_num_performant_cores();
uint32_t get_num_performant_cores()
{
    return sl_pool_count();
}
} // namespace executorch::extension::cpuinfo

static void emit_log(et_timestamp_t, et_pal_log_level_t level, const char *file, const char *,
                     size_t line, const char *message, size_t)
{
    if (sl_executorch_log.log && level != kDebug)
        sl_executorch_log.log(sl_executorch_log.user, (char)level, file, (int)line, message);
}

static int failed(Error error)
{
    return error == Error::Ok ? 0 : SL_ET((int)error);
}

static int no_memory(sl_diag *diag)
{
    return sl_diag_set(diag, SL_ET_MEMORY_ALLOCATION_FAILED, nullptr, "there is not enough memory");
}

/* The bytes of a program lie where its alignment allows, as in a file. */
static int open_bundle(sl_model *model, sl_diag *diag)
{
    enum { MAX_BYTES = 1 << 30 };
    int rc = sl_buf_read_file(model->path.c_str(), MAX_BYTES, &model->file);
    if (rc == 0)
        rc = sl_bundle_parse(sl_bytes{model->file.data, model->file.size}, &model->bundle, diag);
    if (rc == 0)
        model->loader = std::make_unique<BufferDataLoader>(model->bundle.program.data,
                                                           model->bundle.program.size);
    return rc;
}

static bool is_bundle(const char *path)
{
    uint8_t head[8];
    FILE *file = fopen(path, "rb");
    size_t got = file ? fread(head, 1, sizeof(head), file) : 0;
    if (file)
        fclose(file);
    return sl_bundle_is(sl_bytes{head, got});
}

static std::unique_ptr<FileDataLoader> open_file(const char *path, Error *out_error)
{
    Result<FileDataLoader> loader = FileDataLoader::from(path);
    *out_error = loader.error();
    if (!loader.ok())
        return nullptr;
    return std::make_unique<FileDataLoader>(std::move(*loader));
}

/* The folder of the libraries that run. */
static int find_folder(char folder[4096])
{
    /* An address in libexecutorch: of a function that this program does not define. */
    void *inside = dlsym(RTLD_DEFAULT, "et_pal_init");
    return inside ? sl_libraries_folder(inside, folder, 4096) : SL_E_NOT_FOUND;
}

/* The host leaves a file that says whose libraries it put in the wheel's places. */
static std::string version_with_whose(void)
{
    char folder[4096], whose[256];
    std::string version = "ExecuTorch " SL_EXECUTORCH_VERSION;
    if (find_folder(folder) < 0)
        return version;
    FILE *file = fopen((std::string(folder) + "/whose").c_str(), "r");
    if (file && fgets(whose, sizeof(whose), file))
        version += std::string(", libraries of ") + whose;
    if (file)
        fclose(file);
    return version;
}

extern "C" const char *sl_runtime_version(void)
{
    static const std::string version = version_with_whose(),
                             in_two = version + ", a process for each variant";
    return has_two_processes ? in_two.c_str() : version.c_str();
}

/* Once: what loads of itself are ExecuTorch's own operators. */
static int load_users_operators(sl_diag *diag)
{
    char folder[4096], text[80];
    int rc = find_folder(folder);
    if (rc == 0)
        rc = sl_libraries_load(folder, diag);
    if (rc > 0 && sl_executorch_log.log) {
        snprintf(text, sizeof(text), "Loaded %d libraries of custom operators", rc);
        sl_executorch_log.log(sl_executorch_log.user, 'I', __FILE__, __LINE__, text);
    }
    return rc < 0 ? rc : 0;
}

extern "C" int sl_model_open(const char *path, const sl_runtime_limits *, const sl_runtime_log *log,
                             sl_model **out, sl_diag *diag)
{
    static bool started;
    Error error = Error::Ok;
    int rc = 0;
    sl_executorch_log = log ? *log : sl_runtime_log{};
    if (!started) {
        register_pal(PalImpl::create(emit_log, __FILE__));
        runtime_init();
        rc = load_users_operators(diag);
        started = rc == 0;
    }
    if (rc < 0)
        return rc;
    auto model = std::make_unique<sl_model>();
    model->path = path;
    if (is_bundle(path))
        rc = open_bundle(model.get(), diag);
    else
        model->loader = open_file(path, &error);
    if (rc < 0)
        return rc;
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

/* Read by us: its libraries have no reader of bundled programs. */
extern "C" const sl_bundle *sl_model_bundle(const sl_model *model)
{
    return model->bundle.pool ? &model->bundle : nullptr;
}

extern "C" int sl_data_open(const char *path, const sl_runtime_log *log, sl_data **out, sl_diag *)
{
    Error error;
    sl_executorch_log = log ? *log : sl_runtime_log{};
    auto data = std::make_unique<sl_data>();
    data->path = path;
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

extern "C" int sl_method_keep_out(sl_method *, const char *)
{
    return 0; /* XNNPACK chooses its kernels */
}

extern "C" void sl_method_set_workers(sl_method *, sl_workers *workers)
{
    sl_pool_use(workers);
    NoThreadPoolGuard::set_enabled(sl_pool_count() == 1);
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
    if (method->last->apart) {
        *out = method->last->outputs[i].view;
        return 0;
    }
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

/* Each variant has state of its own, and what it begins with before the execution that follows. */
extern "C" void sl_method_reset(sl_method *method)
{
    method->renewed = true;
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

/* The execution's, or the loading's, events become records, or go to the process that has them. */
static int give_events(sl_variant *v)
{
    sl_events *events = v->tracer->events;
    if (!events)
        return 0;
    return v->packed ? sl_events_pack(events, v->packed) : sl_events_flush(events);
}

/* Stands for the file of external data where none is given: the libraries crash without any. */
class NoData final : public NamedDataMap
{
  public:
    Result<const TensorLayout> get_tensor_layout(std::string_view) const override
    {
        return Error::NotFound;
    }
    Result<FreeableBuffer> get_data(std::string_view key) const override
    {
        char words[128];
        snprintf(words, sizeof(words), "no data named '%.64s' is here: say --data_path",
                 std::string(key).c_str());
        if (sl_executorch_log.log)
            sl_executorch_log.log(sl_executorch_log.user, 'E', "executorch", __LINE__, words);
        return Error::NotFound;
    }
    Error load_data_into(std::string_view, void *, size_t) const override
    {
        return Error::NotFound;
    }
    Result<uint32_t> get_num_keys() const override
    {
        return 0u;
    }
    Result<const char *> get_key(uint32_t) const override
    {
        return Error::InvalidArgument;
    }
};

static int load_plan(sl_variant *v)
{
    static const NoData none;
    const sl_model *model = v->method->model;
    const NamedDataMap *data = &none;
    if (model->data)
        data = model->data->map.get();
    v->tracer->inner = true;
    Result<Method> plan = model->program->load_method(v->method->name.c_str(), v->memory.get(),
                                                      v->tracer.get(), data);
    if (!plan.ok())
        return failed(plan.error());
    v->plan = std::make_unique<Method>(std::move(*plan));
    return give_events(v);
}

static int keep_state(sl_variant *v)
{
    std::vector<size_t> sizes;
    sl_kept_place *places = nullptr;
    size_t count = 0;
    for (const Span<uint8_t> &span : v->spans)
        sizes.push_back(span.size());
    int rc = sl_kept_state_find(v->method->model->path.c_str(), v->method->name.c_str(),
                                sizes.data(), sizes.size(), &places, &count);
    for (size_t i = 0; i < count; i++) {
        uint8_t *place = v->spans[places[i].buffer].data() + places[i].offset;
        v->kept.push_back({place, std::vector<uint8_t>(place, place + places[i].bytes)});
    }
    sl_free(places);
    return rc;
}

int sl_variant_load_here(sl_variant *v, uint32_t isa, sl_diag *diag)
{
    int rc = sl_features_use(isa, diag);
    if (rc != 0)
        return rc;
    if (!sl_stamps_open(sl_features_delegate()))
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "ExecuTorch",
                           "these libraries have no XNNProfiler to time operators by");
    sl_kernel_calls_open(sl_features_delegate());
    v->tracer->without_sme = (isa & (SL_ISA_SME | SL_ISA_SME2)) == 0;
    if (plan_memory(v) != 0)
        return no_memory(diag);
    rc = load_plan(v);
    return rc == 0 && keep_state(v) < 0 ? no_memory(diag) : rc;
}

int sl_variant_set_up(sl_variant *v, sl_method *method, sl_recorder *recorder)
{
    v->method = method;
    v->recorder = recorder;
    v->tracer = std::make_unique<Tracer>();
    v->tracer->events = recorder ? sl_events_new(recorder) : nullptr;
    return recorder && !v->tracer->events ? SL_ET_MEMORY_ALLOCATION_FAILED : 0;
}

extern "C" int sl_variant_new(sl_method *method, uint32_t isa, uint16_t index,
                              sl_recorder *recorder, sl_variant **out, sl_diag *diag)
{
    auto v = std::make_unique<sl_variant>();
    int rc = sl_variant_set_up(v.get(), method, recorder);
    if (rc == 0)
        rc = sl_variant_load_here(v.get(), isa, diag);
    if (rc == SL_FEATURES_APART && sl_pool_count() > 1)
        return sl_diag_set(diag, SL_E_UNSUPPORTED, "--variants",
                           "each variant needs a process of its own, which is done on one thread "
                           "alone: %s",
                           sl_features_why_apart());
    if (rc == SL_FEATURES_APART)
        rc = sl_variant_load_apart(v.get(), isa, diag);
    if (rc != 0)
        return rc;
    has_two_processes = has_two_processes || v->apart;
    if (recorder && index == 0)
        sl_recorder_meta_text(recorder, "runtime", sl_runtime_version());
    if (recorder && index > 0)
        sl_recorder_meta_text(recorder, "processes",
                              v->apart ? "one for each variant" : "one for both variants");
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

/* It has memory of its own. */
extern "C" bool sl_variant_settled(const sl_variant *)
{
    return true;
}

/* Its operators are not ours to run one by one. */
extern "C" int sl_lockstep_execute(sl_variant *, sl_lockstep_side *, size_t, sl_diag *)
{
    return SL_ET_NOT_SUPPORTED;
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

static bool is_counted(const sl_variant *v)
{
    return v->recorder && sl_recorder_get_clock(v->recorder).unit == SL_TRACE_MARKS &&
           sl_pool_count() == 1;
}

/* Inputs before every execution: their planned memory is used for other values too. */
int sl_variant_execute_here(sl_variant *v, int traced, sl_diag *diag)
{
    v->tensors.clear();
    for (const Kept &kept : v->kept)
        if (v->method->renewed)
            memcpy(kept.place, kept.begin.data(), kept.begin.size());
    for (size_t i = 0; i < v->method->inputs.size(); i++) {
        int rc = bind_input(v, i);
        if (rc != 0)
            return rc;
    }
    v->tracer->whole = traced == SL_VARIANT_WHOLE;
    v->tracer->inner = traced == SL_VARIANT_TRACED || traced == SL_VARIANT_WARM_UP;
    int watching = sl_kernel_calls_watch(traced == SL_VARIANT_WARM_UP);
    sl_stamps_record(v->tracer->inner ? v->recorder : nullptr);
    sl_events_enter_operators(v->tracer->events, traced == SL_VARIANT_WARM_UP);
    sl_steady_heap_use(is_counted(v));
    Error error = v->plan->execute();
    sl_steady_heap_use(false);
    sl_stamps_record(nullptr);
    if (watching == 0)
        watching = sl_kernel_calls_watch(false);
    if (watching < 0)
        return sl_diag_set(diag, watching, "ExecuTorch",
                           "the table of its delegate's calls cannot be written");
    int rc = give_events(v);
    if (error != Error::Ok)
        return failed(error);
    if (rc == SL_E_STATE)
        return sl_diag_set(diag, rc, "ExecuTorch",
                           "its delegate named more operators than it asked the clock for");
    if (!v->tracer->wrong.empty())
        return sl_diag_set(diag, SL_E_MISMATCH, "ExecuTorch",
                           "the variant without SME executed %.150s, which is SME's: this is no "
                           "baseline",
                           v->tracer->wrong.c_str());
    return rc;
}

extern "C" int sl_variant_execute(sl_variant *v, int traced, sl_diag *diag)
{
    v->method->last = v;
    return v->apart ? sl_variant_execute_apart(v, traced, diag)
                    : sl_variant_execute_here(v, traced, diag);
}
