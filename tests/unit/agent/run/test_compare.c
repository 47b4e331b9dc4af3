/* tests/unit/agent/run/test_compare.c */
#include "agent/run/compare.h"

#include <string.h>

#include "agent/run/session.h"
#include "common/base/buf.h"
#include "common/base/json.h"
#include "tests/support/model_case.h"
#include "tests/support/test.h"

/* The member that the result line has of it. */
static void check_member(const struct sl_session *session, const char *begin, const char *has)
{
    struct sl_buf text;
    struct sl_json json;
    sl_buf_init(&text, 1 << 20);
    sl_json_init(&json, &text);
    sl_json_open_object(&json, NULL);
    sl_compare_put(session, &json);
    sl_json_close_object(&json);
    assert_int_equal(json.error, 0);
    assert_int_equal(strncmp((const char *)text.data, begin, strlen(begin)), 0);
    assert_non_null(strstr((const char *)text.data, has));
    sl_buf_fini(&text);
}

TEST(each_variant_that_was_asked_for_is_compared)
{
    uint32_t masks[SL_CASE_MASKS];
    struct sl_model_case c;
    struct sl_session *session = test_calloc(1, sizeof(*session));
    sl_case_masks(masks);
    sl_case_open(&c, "toy_cnn_f32_xnnpack");
    session->options.inputs = session->options.policy = "";
    session->model = c.model;
    session->method = c.method;
    session->method_name = sl_method_name(c.method);
    session->variant[0].plan = sl_case_compile(&c, 0, 0, NULL);
    sl_compare_operators(session);
    check_member(session, "{\"operators\":null}", "null");
    session->options.compared_count = 2;
    session->options.compared[0] = (struct sl_agent_run_variant_spec){.name = "portable"};
    session->options.compared[1] =
        (struct sl_agent_run_variant_spec){.name = "all", .isa = masks[0]};
    sl_compare_operators(session);
    check_member(session,
                 "{\"operators\":[{\"variant\":\"portable\",\"compared\":11,\"farther\":[]},",
                 "{\"variant\":\"all\",\"compared\":11,\"farther\":[");
    sl_compare_free(session->compared);
    sl_variant_free(session->variant[0].plan);
    sl_case_close(&c);
    test_free(session);
}
