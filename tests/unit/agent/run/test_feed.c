/* tests/unit/agent/run/test_feed.c */
#include "agent/run/feed.h"

#include <string.h>

#include "agent/run/session.h"
#include "common/base/error.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"

#define MODELS SL_TEST_DATA "/models/"
#define PLAIN SL_TEST_DATA "/plain_values/"
#define TOY MODELS "toy_cnn_f32_xnnpack/"

/* Feeds the program's method, as a run with those --inputs does; ends with it open. */
static int feed(const char *program, const char *inputs, struct sl_session **out)
{
    char scratch[1024];
    struct sl_session *session = test_calloc(1, sizeof(*session));
    struct sl_diag diag = {.what = ""};
    session->options.inputs = inputs;
    session->method_name = "forward";
    assert_int_equal(sl_input_files_read(inputs, &session->inputs, scratch, sizeof(scratch)), 0);
    assert_int_equal(sl_model_open(program, NULL, NULL, &session->model, &diag), 0);
    assert_int_equal(sl_method_new(session->model, session->method_name, &session->method, &diag),
                     0);
    session->bundled = sl_model_bundle(session->model) != NULL;
    *out = session;
    return sl_feed_inputs(session);
}

static void end(struct sl_session *session)
{
    sl_input_files_fini(&session->inputs);
    sl_method_free(session->method);
    sl_model_free(session->model);
    test_free(session);
}

static void check(const char *program, const char *inputs, int wanted)
{
    struct sl_session *session;
    assert_int_equal(feed(program, inputs, &session), wanted);
    end(session);
}

TEST(a_tensor_is_the_file_that_was_given_or_ones)
{
    struct sl_session *session;
    struct sl_tensor_view view;
    assert_int_equal(feed(TOY "model.pte", TOY "input-0.bin", &session), 0);
    assert_int_equal(sl_method_input(session->method, 0, &view), 0);
    assert_int_equal(view.nbytes, session->inputs.files[0].size);
    assert_memory_equal(view.data, session->inputs.files[0].data, view.nbytes);
    session->options.inputs = "";
    assert_int_equal(sl_feed_inputs(session), 0);
    assert_true(((const float *)view.data)[view.nbytes / sizeof(float) - 1] == 1);
    end(session);
}

TEST(files_that_do_not_fit_are_refused)
{
    check(TOY "model.pte", TOY "input-0.bin," TOY "input-0.bin", SL_E_LOGGED);
    check(TOY "model.pte", PLAIN "input-0.bin", SL_E_LOGGED);
}

TEST(numbers_are_files_too)
{
    check(PLAIN "model.pte",
          PLAIN "input-0.bin," PLAIN "input-1.bin," PLAIN "input-2.bin," PLAIN "input-3.bin", 0);
    check(PLAIN "model.pte",
          PLAIN "input-0.bin," PLAIN "input-2.bin," PLAIN "input-2.bin," PLAIN "input-3.bin",
          SL_E_LOGGED);
}

TEST(a_bundle_brings_its_inputs_along)
{
    struct sl_session *session;
    assert_int_equal(feed(MODELS "toy_cnn_bundled/model.bpte", "", &session), 0);
    session->method_name = "backward"; /* it has no test suite */
    assert_int_equal(sl_feed_inputs(session), SL_E_LOGGED);
    end(session);
    check(PLAIN "model.bpte", "", 0);
    check(PLAIN "other-number.bpte", "", SL_E_LOGGED);
}
