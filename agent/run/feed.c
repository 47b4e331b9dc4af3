/* agent/run/feed.c */
#include "agent/run/feed.h"

#include <inttypes.h>
#include <string.h>

#include "agent/run/etlog.h"
#include "agent/run/session.h"
#include "agent/runtime/runtime.h"
#include "common/base/error.h"
#include "common/format/bundle.h"
#include "common/format/pte.h"

/* Returns the bundle's kind for a value of the program; -1 if it has none. */
static int bundle_kind(const struct sl_tensor_view *view)
{
    static const int kinds[] = {
        [SL_PTE_INT] = SL_BUNDLE_INT,
        [SL_PTE_BOOL] = SL_BUNDLE_BOOL,
        [SL_PTE_DOUBLE] = SL_BUNDLE_DOUBLE,
    };
    int kind = view->plain.kind;
    if (view->scalar_type >= 0)
        return SL_BUNDLE_TENSOR;
    return kind >= SL_PTE_INT && kind <= SL_PTE_DOUBLE ? kinds[kind] : -1;
}

/* True if the bundle has a test suite for the method. */
static bool has_suite(const struct sl_session *session)
{
    const struct sl_bundle *bundle = sl_model_bundle(session->model);
    for (uint32_t i = 0; bundle && i < bundle->suite_count; i++)
        if (strcmp(bundle->suites[i].method, session->method_name) == 0)
            return true;
    return false;
}

static int set_number(struct sl_session *session, size_t i, const struct sl_bundle_value *value)
{
    const uint8_t truth = value->kind == SL_BUNDLE_BOOL && value->bool_value;
    const void *data = value->kind == SL_BUNDLE_BOOL  ? &truth
                       : value->kind == SL_BUNDLE_INT ? (const void *)&value->int_value
                                                      : &value->double_value;
    return sl_method_set_input(session->method, i, data, value->kind == SL_BUNDLE_BOOL ? 1 : 8,
                               &session->diag);
}

/* A smaller shape than the program's bound is taken over. */
static int set_tensor(struct sl_session *session, size_t i, const struct sl_bundle_value *value)
{
    struct sl_tensor_view view;
    int rc = sl_method_input(session->method, i, &view);
    if (rc == 0 &&
        (view.scalar_type != value->tensor.scalar_type || view.rank != value->tensor.rank))
        rc = sl_diag_set(&session->diag, SL_ET_INVALID_ARGUMENT, NULL,
                         "input %zu of the bundle has another type or rank than the method's", i);
    if (rc == 0)
        rc = sl_method_resize_input(session->method, i, value->tensor.sizes, &session->diag);
    return rc != 0 ? rc
                   : sl_method_set_input(session->method, i, value->tensor.data.data,
                                         value->tensor.data.size, &session->diag);
}

static int bundle_failed(const struct sl_session *session, int code)
{
    (void)session;
    sl_etlog('F', "executor_runner.cpp", 742,
             "In function main(), assert failed (status == Error::Ok): LoadBundledInput failed "
             "with status 0x%x",
             sl_et_code(code));
    return SL_E_LOGGED;
}

static int feed_bundle(struct sl_session *session)
{
    const struct sl_bundle_case *test = sl_session_bundle_case(session);
    size_t count = sl_method_input_count(session->method);
    if (!test) {
        if (has_suite(session))
            sl_etlog('E', "bundled_program.cpp", 285, "testset_idx 0 is out of range [0, 0]");
        else
            sl_etlog('E', "bundled_program.cpp", 270,
                     "No method named '%s' in given bundled program", session->method_name);
        return bundle_failed(session, SL_ET_INVALID_ARGUMENT);
    }
    if (test->input_count != count) {
        SL_ETLOG('E', "The method takes %zu inputs, the bundle has %" PRIu32, count,
                 test->input_count);
        return bundle_failed(session, SL_ET_INVALID_ARGUMENT);
    }
    for (size_t i = 0; i < count; i++) {
        struct sl_tensor_view view;
        int rc = sl_method_input(session->method, i, &view);
        if (rc == 0 && test->inputs[i].kind != bundle_kind(&view))
            rc = sl_diag_set(&session->diag, SL_ET_INVALID_TYPE, NULL,
                             "input %zu of the bundle is of another kind than the method's", i);
        if (rc == 0)
            rc = test->inputs[i].kind == SL_BUNDLE_TENSOR
                     ? set_tensor(session, i, &test->inputs[i])
                     : set_number(session, i, &test->inputs[i]);
        if (rc != 0) {
            sl_session_log_diag(session);
            return bundle_failed(session, SL_ET_NOT_SUPPORTED);
        }
    }
    return 0;
}

static int inputs_failed(int rc)
{
    sl_etlog('F', "executor_runner.cpp", 754,
             "In function main(), assert failed (res.ok()): Could not prepare inputs: 0x%x",
             sl_et_code(rc));
    return SL_E_LOGGED;
}

/* The real runtime's line does not say which of the files it means. */
static void log_input_size(const struct sl_session *session, size_t index, size_t nbytes)
{
    const char *name = session->options.inputs;
    for (size_t i = 0; i < index; i++)
        name += strcspn(name, ",") + 1;
    SL_ETLOG('E', "%.*s: input %zu takes %zu bytes, the file has %zu", (int)strcspn(name, ","),
             name, index, nbytes, session->inputs.files[index].size);
}

int sl_feed_inputs(struct sl_session *session)
{
    size_t count = sl_method_input_count(session->method);
    if (session->bundled)
        return feed_bundle(session);
    if (!session->options.inputs[0]) {
        int rc = sl_method_fill_inputs(session->method, &session->diag);
        if (rc != 0)
            sl_session_log_diag(session);
        return rc != 0 ? inputs_failed(rc) : 0;
    }
    if (session->inputs.count != count) {
        sl_etlog('E', "inputs.cpp", 42,
                 "Wrong number of inputs allocated compared to method  %zu ? %zu", count,
                 session->inputs.count);
        return inputs_failed(SL_ET_INVALID_ARGUMENT);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sl_buf *file = &session->inputs.files[i];
        struct sl_tensor_view view;
        int rc = sl_method_input(session->method, i, &view);
        if (rc == 0 && view.scalar_type >= 0 && view.nbytes != file->size) {
            sl_etlog('E', "inputs.cpp", 182, "input size (%zu) and tensor size (%zu) mismatch!",
                     file->size, view.nbytes);
            log_input_size(session, i, view.nbytes);
            return inputs_failed(SL_ET_INVALID_ARGUMENT);
        }
        if (rc == 0)
            rc = sl_method_set_input(session->method, i, file->data, file->size, &session->diag);
        if (rc != 0) {
            sl_session_log_diag(session);
            return inputs_failed(rc);
        }
    }
    return 0;
}
