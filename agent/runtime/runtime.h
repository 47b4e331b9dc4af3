/* agent/runtime/runtime.h: loads a .pte program and executes its methods, variant by variant.
 *
 * A model is the mapped file with its parsed program. A method is one plan of it with planned
 * memory (the arena) and values. A variant is that method compiled for one ISA mask: kernels,
 * packed weights, names, graph rewrites. Variants of a method share the mapping and the arena, so
 * they run one after the other, never at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/error.h"

struct sl_bundle;
struct sl_data;
struct sl_model;
struct sl_method;
struct sl_recorder;
struct sl_variant;
struct sl_workers;

/* ExecuTorch's error codes, below those of common/base/error.h. */
#define SL_ET(code) (-21000 - (code))
enum sl_et_error {
    SL_ET_OK = 0,
    SL_ET_INTERNAL = SL_ET(0x01),
    SL_ET_INVALID_STATE = SL_ET(0x02),
    SL_ET_NOT_SUPPORTED = SL_ET(0x10),
    SL_ET_NOT_IMPLEMENTED = SL_ET(0x11),
    SL_ET_INVALID_ARGUMENT = SL_ET(0x12),
    SL_ET_INVALID_TYPE = SL_ET(0x13),
    SL_ET_OPERATOR_MISSING = SL_ET(0x14),
    SL_ET_NOT_FOUND = SL_ET(0x20),
    SL_ET_MEMORY_ALLOCATION_FAILED = SL_ET(0x21),
    SL_ET_ACCESS_FAILED = SL_ET(0x22),
    SL_ET_INVALID_PROGRAM = SL_ET(0x23),
    SL_ET_INVALID_EXTERNAL_DATA = SL_ET(0x24),
    SL_ET_DELEGATE_INVALID_COMPATIBILITY = SL_ET(0x30),
};

/* The number that ExecuTorch's log lines print (0x%x); it has none for other failures of ours. */
static inline unsigned sl_et_code(int rc)
{
    return (unsigned)(rc <= SL_ET(0) && rc >= SL_ET(0xff) ? SL_ET(0) - rc
                                                          : SL_ET(0) - SL_ET_INTERNAL);
}

/* A line the real runtime would log; `file` and `line` name its place in ExecuTorch's sources.
 * Level: 'I' or 'E'. */
typedef void (*sl_runtime_log_fn)(void *user, char level, const char *file, int line,
                                  const char *message);

struct sl_runtime_log {
    sl_runtime_log_fn log; /* NULL: silent */
    void *user;
};

/* The most that a program may ask for: bytes of planned memory, packed weights, workspace and
 * tables together, and instructions of one execution. */
struct sl_runtime_limits {
    uint64_t bytes, instructions;
};
#define SL_RUNTIME_MAX_BYTES (UINT64_C(4) << 30)
#define SL_RUNTIME_MAX_INSTRUCTIONS UINT64_C(10000000) /* ExecuTorch's own guard */

/* Returns the runtime's name and version: "sme2lab 0.1.0", "ExecuTorch 1.5.1 (3b606839)". */
const char *sl_runtime_version(void);

/* Maps and parses a program or a bundled one; `limits` NULL: those above. All functions that return
 * int give 0, an enum sl_et_error for what ExecuTorch has a code for, or a negative code
 * of ours (-errno, SL_E_*); `diag` (may be NULL) has the words. */
int sl_model_open(const char *path, const struct sl_runtime_limits *limits,
                  const struct sl_runtime_log *log, struct sl_model **out, struct sl_diag *diag);

/* The same of a plain program from borrowed bytes, which must outlive the model and lie at a
 * multiple of 16. */
int sl_model_open_bytes(const void *bytes, size_t size, const struct sl_runtime_limits *limits,
                        const struct sl_runtime_log *log, struct sl_model **out,
                        struct sl_diag *diag);
void sl_model_free(struct sl_model *model);
/* The test cases of a bundled program (common/format/bundle.h); NULL when it is a plain one. */
const struct sl_bundle *sl_model_bundle(const struct sl_model *model);

/* External tensor data (.ptd), mapped. */
int sl_data_open(const char *path, const struct sl_runtime_log *log, struct sl_data **out,
                 struct sl_diag *diag);
size_t sl_data_keys(const struct sl_data *data);
void sl_data_free(struct sl_data *data);
/* Lets the model's methods take from `data`, which must outlive them. Before the first method. */
void sl_model_set_data(struct sl_model *model, const struct sl_data *data);

/* Keeps what the model's methods pack in files of `directory`, which is made if it is missing, and
 * takes it from there when the same program is loaded again (weights/weight_cache.h). After each
 * writing the files that were not used for longest go, until all have `max_bytes` together. Before
 * the first method. 0, -ENOMEM, or SL_E_UNSUPPORTED for a model that is not a file. */
int sl_model_set_weight_cache(struct sl_model *model, const char *directory, uint64_t max_bytes);
#define SL_RUNTIME_WEIGHT_CACHE_BYTES (UINT64_C(4) << 30) /* the command line's own */

/* `name` NULL or "": the first plan. The model must outlive the method, the method its variants. */
int sl_method_new(struct sl_model *model, const char *name, struct sl_method **out,
                  struct sl_diag *diag);
void sl_method_free(struct sl_method *method);
/* Borrows threads (workers.h) for what its variants execute: outputs stay the same, bit for bit.
 * Before the first variant; NULL, the start: all is done by the caller's thread. */
void sl_method_set_workers(struct sl_method *method, struct sl_workers *workers);
/* Keeps single operators out of streaming mode in all of its variants; `operators` as
 * agent/runtime/kept_out.h reads them. Before the first variant. 0, SL_E_FORMAT, SL_E_LIMIT or
 * -ENOMEM; a runtime that chooses for itself (ExecuTorch's) takes any. */
int sl_method_keep_out(struct sl_method *method, const char *operators);
const char *sl_method_name(const struct sl_method *method);
size_t sl_method_planned_buffers(const struct sl_method *method);
size_t sl_method_planned_bytes(const struct sl_method *method, size_t buffer);

/* A value that is no tensor; of a list, no more than that it is one. */
struct sl_plain_value {
    int kind;          /* enum sl_pte_value_kind (common/format/pte.h) */
    int64_t int_value; /* of an Int; 0 or 1 of a Bool */
    double double_value;
    const char *text; /* of a String: the program's, which outlives the method */
};

/* An input or output as the outside sees it. Pointers are borrowed from the method and change with
 * each execution. */
struct sl_tensor_view {
    int scalar_type; /* enum sl_scalar_type; -1 for a value that is no tensor */
    size_t rank;
    const int32_t *sizes; /* logical; now */
    const uint8_t *dim_order;
    size_t nbytes;     /* of the sizes now */
    size_t max_nbytes; /* of the upper bounds */
    const void *data;
    struct sl_plain_value plain; /* what there is where the scalar type is -1 */
};

size_t sl_method_input_count(const struct sl_method *method);
size_t sl_method_output_count(const struct sl_method *method);
int sl_method_input(const struct sl_method *method, size_t i, struct sl_tensor_view *out);
int sl_method_output(const struct sl_method *method, size_t i, struct sl_tensor_view *out);

/* Gives input i a smaller (or its own) shape; `sizes` has the input's rank. Before the next
 * sl_method_set_input(). */
int sl_method_resize_input(struct sl_method *method, size_t i, const int32_t *sizes,
                           struct sl_diag *diag);
/* Copies `nbytes` raw bytes in memory order; they must be exactly the input's: 8 of an Int or a
 * Double, 1 of a Bool, any of a None. As in ExecuTorch a number must be the one that the program
 * was traced with. To be set again before every execution. */
int sl_method_set_input(struct sl_method *method, size_t i, const void *data, size_t nbytes,
                        struct sl_diag *diag);
/* Gives the tensors that keep state between executions what they began with. */
void sl_method_reset(struct sl_method *method);

/* Fills every tensor input with ones, as executor_runner does without --inputs. */
int sl_method_fill_inputs(struct sl_method *method, struct sl_diag *diag);

/* Compiles the method for the kernels that `isa` (kernels/cpu/isa.h) allows, packs weights. `index`
 * is the variant's number in the trace; labels are interned in `recorder` (may be NULL: untraced)
 * and the events Method::init and Program::load_method recorded in a block "Default" that the
 * caller has opened. */
int sl_variant_new(struct sl_method *method, uint32_t isa, uint16_t index,
                   struct sl_recorder *recorder, struct sl_variant **out, struct sl_diag *diag);
void sl_variant_free(struct sl_variant *variant);
/* SIZE_MAX: the runtime does not say. */
size_t sl_variant_packed_bytes(const struct sl_variant *variant);
/* Events that one execution records at most: for sl_recorder_ready(). */
size_t sl_variant_events(const struct sl_variant *variant);

/* The events that an execution records: none, all, Method::execute alone; or all of a warm-up,
 * which is not measured, so naming its kernels may cost something. */
enum { SL_VARIANT_UNTRACED, SL_VARIANT_TRACED, SL_VARIANT_WHOLE, SL_VARIANT_WARM_UP };

/* Executes once, recording into the recorder given at creation what `traced` says. Inputs must have
 * been set since the last execution. */
int sl_variant_execute(struct sl_variant *variant, int traced, struct sl_diag *diag);
/* True when nothing moved since the last execution began, in it or in another variant's: the next
 * one prepares nothing anew because of it, and costs what those after it cost. */
bool sl_variant_settled(const struct sl_variant *variant);
