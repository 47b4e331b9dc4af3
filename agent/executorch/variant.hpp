/* agent/executorch/variant.hpp: what runtime.cpp and apart_variant.cpp know of models, methods and
 * variants. */
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/memory_allocator/malloc_memory_allocator.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/platform/clock.h>

extern "C" {
#include "agent/executorch/events.h"
#include "agent/runtime/runtime.h"
#include "agent/trace/marks.h"
#include "common/base/buf.h"
#include "common/base/error.h"
#include "common/format/bundle.h"
}

using executorch::aten::SizesType;
using executorch::aten::Tensor;
using executorch::aten::TensorImpl;
using executorch::extension::FileDataLoader;
using executorch::extension::FlatTensorDataMap;
using executorch::extension::MallocMemoryAllocator;
using namespace executorch::runtime;

/* Where log lines go: the last one that the verb `run` gave. */
extern sl_runtime_log sl_executorch_log;

/* What XNNPACK calls operators that run KleidiAI's SME kernels. */
inline bool is_of_sme(const char *name)
{
    return strstr(name, "PF32") || strstr(name, "PF16") || strstr(name, "PQS8");
}

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
    bool without_sme = false;          /* none of its operators may be of SME */
    std::string wrong;                 /* one that was */

    /* Nothing counts but what a call of these costs: pause first, resume last. */
    EventTracerEntry start_profiling(const char *name, ChainID chain, DebugHandle handle) override
    {
        sl_mark_pause();
        EventTracerEntry entry{};
        bool unset = chain == kUnsetChainId;
        entry.event_id = -1;
        if (events && (inner || (whole && strcmp(name, "Method::execute") == 0)))
            entry.event_id = sl_events_begin(events, name, unset ? chain_id_ : chain,
                                             unset ? debug_handle_ : handle);
        sl_mark_resume();
        return entry;
    }
    void end_profiling(EventTracerEntry entry) override
    {
        sl_mark_pause();
        if (events)
            sl_events_end(events, entry.event_id);
        sl_mark_resume();
    }
    void log_profiling_delegate(const char *name, DelegateDebugIntId, et_timestamp_t start,
                                et_timestamp_t end, const void *, size_t) override
    {
        if (events && inner)
            sl_events_delegate(events, name, chain_id_, debug_handle_, ticks_to_ns(end - start));
        if (without_sme && is_of_sme(name))
            wrong = name;
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

/* A value as the outside sees it, kept of a variant in another process. */
struct Output {
    sl_tensor_view view{};
    std::vector<SizesType> sizes;
    std::vector<executorch::aten::DimOrderType> dim_order;
    std::vector<uint8_t> bytes;
    std::string text;
};

/* State that a program keeps, as it was before the first execution. */
struct Kept {
    uint8_t *place;
    std::vector<uint8_t> begin;
};

struct sl_data {
    std::string path;
    std::unique_ptr<FileDataLoader> loader;
    std::unique_ptr<FlatTensorDataMap> map;
};

struct sl_model {
    std::string path;
    sl_buf file{}; /* of a bundled program, owned */
    sl_bundle bundle{};
    std::unique_ptr<DataLoader> loader;
    std::unique_ptr<Program> program;
    const sl_data *data = nullptr;

    ~sl_model()
    {
        program.reset();
        sl_bundle_fini(&bundle);
        sl_buf_fini(&file);
    }
};

struct sl_method {
    sl_model *model;
    std::string name;
    std::unique_ptr<MethodMeta> meta;
    std::vector<Input> inputs;
    bool renewed = false; /* every execution begins with the state that the first one had */
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
    std::vector<Kept> kept;
    sl_recorder *recorder = nullptr;
    std::vector<std::unique_ptr<TensorImpl>> tensors; /* of the inputs of this execution */
    sl_buf *packed = nullptr; /* in the process beside: where its events go */
    bool apart = false;       /* it is there, and this is what is known of it here */
    std::vector<Output> outputs;
};

/* The steps of a variant; `v` is not loaded yet. 0, or as runtime.h says. */
int sl_variant_set_up(sl_variant *v, sl_method *method, sl_recorder *recorder);
/* In this process; SL_FEATURES_APART where it cannot be. */
int sl_variant_load_here(sl_variant *v, uint32_t isa, sl_diag *diag);
int sl_variant_execute_here(sl_variant *v, int traced, sl_diag *diag);
/* In the process beside. */
int sl_variant_load_apart(sl_variant *v, uint32_t isa, sl_diag *diag);
int sl_variant_execute_apart(sl_variant *v, int traced, sl_diag *diag);
