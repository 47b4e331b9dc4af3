/* tests/fuzz/fuzz_program.c: hostile programs, loaded and executed. */
#include "tests/fuzz/fuzz_program.h"

#include <string.h>

#include "agent/runtime/model.h"
#include "agent/runtime/runtime.h"
#include "agent/runtime/workers.h"
#include "common/base/mem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_METHODS = 4 };

static void silent(void *user, char level, const char *file, int line, const char *message)
{
    (void)user, (void)level, (void)file, (void)line, (void)message;
}

static void run(struct sl_method *method, uint32_t isa)
{
    struct sl_variant *variant = NULL;
    struct sl_diag diag;
    if (sl_variant_new(method, isa, 0, NULL, &variant, &diag) != 0)
        return;
    for (int i = 0; i < 2; i++)
        if (sl_method_fill_inputs(method, &diag) == 0)
            sl_variant_execute(variant, false, &diag);
    sl_variant_free(variant);
}

/* Halves the first size of each input that may shrink. */
static void shrink(struct sl_method *method)
{
    struct sl_tensor_view view;
    for (size_t i = 0; i < sl_method_input_count(method); i++) {
        int32_t sizes[16];
        if (sl_method_input(method, i, &view) != 0 || view.rank == 0)
            continue;
        memcpy(sizes, view.sizes, view.rank * sizeof(*sizes));
        sizes[0] /= 2;
        sl_method_resize_input(method, i, sizes, NULL);
    }
}

/* Two threads, started once. */
static struct sl_workers *crew(void)
{
    static struct sl_workers *workers;
    const struct sl_workers_config config = {.count = 2};
    if (!workers && sl_workers_new(&config, &workers) != 0)
        workers = NULL;
    return workers;
}

/* Alone, then on two threads with smaller inputs. */
static void run_method(struct sl_model *model, const char *name)
{
    struct sl_method *method = NULL;
    struct sl_diag diag;
    if (sl_method_new(model, name, &method, &diag) == 0) {
        run(method, 0);
        shrink(method);
        sl_method_set_workers(method, crew());
        run(method, 0);
    }
    sl_method_free(method);
}

void fuzz_program_run(const uint8_t *data, size_t size, const struct sl_data *external)
{
    const struct sl_runtime_limits limits = {.bytes = (8 << 20) + 4 * (uint64_t)size,
                                             .instructions = 200};
    const struct sl_runtime_log log = {silent, NULL};
    struct sl_model *model = NULL;
    struct sl_diag diag;
    uint8_t *copy = sl_aligned_alloc(16, size);
    if (!copy)
        return;
    if (size != 0)
        memcpy(copy, data, size);
    if (sl_model_open_bytes(copy, size, &limits, &log, &model, &diag) == 0) {
        sl_model_set_data(model, external);
        for (uint32_t i = 0; i < model->pte.plan_count && i < MAX_METHODS; i++)
            run_method(model, model->pte.plans[i].name);
    }
    sl_model_free(model);
    sl_free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_program_run(data, size, NULL);
    return 0;
}
