/* agent/executorch/method.c */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "agent/executorch/method.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "agent/executorch/libraries.h"
#include "agent/executorch/pool.h"
#include "agent/runtime/file_map.h"
#include "common/base/error.h"
#include "common/base/mem.h"
#include "common/format/scalar_type.h"

/* Once: what loads of itself are ExecuTorch's own operators. */
static int load_users_operators(struct sl_diag *diag)
{
    char folder[4096], text[80];
    int rc = sl_libraries_folder(dlsym(RTLD_DEFAULT, "et_pal_init"), folder, sizeof(folder));
    if (rc == 0)
        rc = sl_libraries_load(folder, diag);
    if (rc > 0 && sl_executorch_log.log) {
        snprintf(text, sizeof(text), "Loaded %d libraries of custom operators", rc);
        sl_executorch_log.log(sl_executorch_log.user, 'I', __FILE__, __LINE__, text);
    }
    return rc < 0 ? rc : 0;
}

static int start(const struct sl_runtime_log *log, struct sl_diag *diag)
{
    static bool started;
    sl_executorch_log = log ? *log : (struct sl_runtime_log){.log = NULL};
    if (started)
        return 0;
    sl_executorch_start();
    int rc = load_users_operators(diag);
    started = rc == 0;
    return rc;
}

/* The libraries have no reader of bundled programs: they get bytes of ours. */
static int open_program(struct sl_model *model, struct sl_diag *diag)
{
    const struct sl_bytes none = {NULL, 0};
    int rc = 0;
    if (sl_file_map(model->path, &model->file, NULL) == 0) /* else they say why it is none */
        model->bytes = model->file;
    bool bundled = model->file.data && sl_bundle_is(model->file);
    if (bundled)
        rc = sl_bundle_parse(model->file, &model->bundle, diag);
    if (rc == 0 && bundled)
        model->bytes = model->bundle.program;
    return rc != 0 ? rc
                   : sl_executorch_program_open(model->path, bundled ? model->bytes : none,
                                                &model->program);
}

int sl_model_open(const char *path, const struct sl_runtime_limits *limits,
                  const struct sl_runtime_log *log, struct sl_model **out, struct sl_diag *diag)
{
    (void)limits;
    int rc = start(log, diag);
    struct sl_model *model = rc == 0 ? sl_calloc(1, sizeof(*model)) : NULL;
    if (!model)
        return rc != 0 ? rc : -ENOMEM;
    model->path = sl_strndup(path, strlen(path));
    rc = model->path ? open_program(model, diag) : -ENOMEM;
    if (rc == 0)
        *out = model;
    else
        sl_model_free(model);
    return rc;
}

void sl_model_free(struct sl_model *model)
{
    if (!model)
        return;
    sl_executorch_program_free(model->program);
    sl_bundle_fini(&model->bundle);
    sl_file_unmap(&model->file);
    sl_free(model->path);
    sl_free(model);
}

const struct sl_bundle *sl_model_bundle(const struct sl_model *model)
{
    return model->bundle.pool ? &model->bundle : NULL;
}

void sl_model_set_data(struct sl_model *model, const struct sl_data *data)
{
    model->data = data;
}

int sl_model_set_weight_cache(struct sl_model *model, const char *directory, uint64_t max_bytes)
{
    (void)model, (void)directory, (void)max_bytes;
    return SL_E_UNSUPPORTED;
}

static int read_input(struct sl_method *method, size_t i)
{
    struct sl_input *input = &method->inputs[i];
    struct sl_tensor_view *view = &input->view;
    sl_buf_init(&input->bytes, SIZE_MAX / 2);
    int rc = sl_executorch_method_input(method->model->program, method->of.name, i, view);
    if (rc != 0 || view->scalar_type < 0)
        return rc;
    if (view->rank > SL_TENSOR_MAX_RANK)
        return SL_ET_INVALID_PROGRAM;
    input->bounds = view->sizes;
    view->sizes = input->sizes;
    return sl_method_resize_input(method, i, input->bounds, NULL);
}

int sl_method_new(struct sl_model *model, const char *name, struct sl_method **out,
                  struct sl_diag *diag)
{
    (void)diag;
    struct sl_method *method = sl_calloc(1, sizeof(*method));
    if (!method)
        return -ENOMEM;
    method->model = model;
    int rc = sl_executorch_method_find(model->program, name, &method->of);
    if (rc == 0) {
        method->inputs = sl_calloc(method->of.inputs, sizeof(*method->inputs));
        rc = method->inputs ? 0 : -ENOMEM;
    }
    for (size_t i = 0; i < method->of.inputs && rc == 0; i++)
        rc = read_input(method, i);
    if (rc == 0)
        *out = method;
    else
        sl_method_free(method);
    return rc;
}

void sl_method_free(struct sl_method *method)
{
    if (!method)
        return;
    for (size_t i = 0; i < method->of.inputs && method->inputs; i++)
        sl_buf_fini(&method->inputs[i].bytes);
    sl_free(method->inputs);
    sl_free(method);
}

/* XNNPACK chooses its kernels. */
int sl_method_keep_out(struct sl_method *method, const char *operators)
{
    (void)method, (void)operators;
    return 0;
}

void sl_method_set_workers(struct sl_method *method, struct sl_workers *workers)
{
    (void)method;
    sl_pool_use(workers);
    sl_executorch_use_pool(sl_pool_count() > 1);
}

const char *sl_method_name(const struct sl_method *method)
{
    return method->of.name;
}

size_t sl_method_planned_buffers(const struct sl_method *method)
{
    return method->of.buffers;
}

size_t sl_method_planned_bytes(const struct sl_method *method, size_t buffer)
{
    return sl_executorch_planned_bytes(method->model->program, method->of.name, buffer);
}

size_t sl_method_input_count(const struct sl_method *method)
{
    return method->of.inputs;
}

size_t sl_method_output_count(const struct sl_method *method)
{
    return method->of.outputs;
}

int sl_method_input(const struct sl_method *method, size_t i, struct sl_tensor_view *out)
{
    *out = method->inputs[i].view;
    out->data = method->inputs[i].bytes.data;
    return 0;
}

int sl_method_resize_input(struct sl_method *method, size_t i, const int32_t *sizes,
                           struct sl_diag *diag)
{
    struct sl_input *input = &method->inputs[i];
    size_t nbytes = sl_scalar_size(input->view.scalar_type);
    for (size_t d = 0; d < input->view.rank; d++) {
        if (sizes[d] < 0 || sizes[d] > input->bounds[d])
            return sl_diag_set(diag, SL_ET_NOT_SUPPORTED, "--input-shapes",
                               "dimension %zu of input %zu is %d, and the program allows 0 to %d",
                               d, i, (int)sizes[d], (int)input->bounds[d]);
        input->sizes[d] = sizes[d];
        nbytes *= (size_t)sizes[d];
    }
    input->view.nbytes = nbytes;
    return 0;
}

int sl_method_set_input(struct sl_method *method, size_t i, const void *data, size_t nbytes,
                        struct sl_diag *diag)
{
    (void)diag;
    struct sl_input *input = &method->inputs[i];
    if (input->view.scalar_type >= 0 && nbytes != input->view.nbytes)
        return SL_ET_INVALID_ARGUMENT;
    input->bytes.size = 0;
    return sl_buf_append(&input->bytes, data, nbytes);
}

/* Each variant has state of its own, and what it begins with before the execution that follows. */
void sl_method_reset(struct sl_method *method)
{
    method->renewed = true;
}

int sl_method_fill_inputs(struct sl_method *method, struct sl_diag *diag)
{
    int rc = 0;
    for (size_t i = 0; i < method->of.inputs && rc == 0; i++) {
        const struct sl_tensor_view *view = &method->inputs[i].view;
        struct sl_buf *bytes = &method->inputs[i].bytes;
        uint8_t *at = NULL;
        if (view->scalar_type < 0)
            continue;
        bytes->size = 0;
        rc = sl_buf_extend(bytes, view->nbytes, &at);
        if (rc == 0 && !sl_scalar_fill_ones(view->scalar_type, at, view->nbytes))
            rc =
                sl_diag_set(diag, SL_ET_INVALID_TYPE, NULL, "input %zu of type %s cannot be filled",
                            i, sl_scalar_name(view->scalar_type));
    }
    return rc;
}
