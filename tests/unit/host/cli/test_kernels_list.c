/* tests/unit/host/cli/test_kernels_list.c */
#include "host/cli/kernels_list.h"

#include <string.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "tests/support/test.h"

static const char list[] =
    "{\"kernels\":[{\"family\":\"matmul\",\"kernel\":\"sl_a\",\"for\":\"products\",\"needs\":"
    "\"sme2\",\"met\":false},{\"family\":\"matmul\",\"kernel\":\"sl_b\",\"for\":\"products\","
    "\"needs\":\"neon\",\"met\":true},{\"family\":\"conv\",\"kernel\":\"sl_c\\u001b[2J\"}],"
    "\"policy\":[{\"family\":\"gemv\",\"streams\":true,\"about\":\"products with one row\"}]}";

static void shows(struct sl_buf *out, const char *cpu, int width)
{
    cJSON *document = cJSON_Parse(list);
    sl_buf_init(out, 1 << 16);
    assert_non_null(document);
    assert_int_equal(sl_kernels_list_text(out, document, cpu, width), 0);
    cJSON_Delete(document);
}

TEST(kernels_stand_below_their_family_with_what_they_need)
{
    struct sl_buf out;
    shows(&out, NULL, 80);
    const char *text = (const char *)out.data;
    assert_non_null(strstr(text, "\nmatmul: products\n  sl_a "));
    assert_non_null(strstr(text, "sme2          not here\n  sl_b "));
    assert_non_null(strstr(text, "neon\n\nconv: "));
    assert_non_null(strstr(text, "gemv           streams    products with one row\n"));
    assert_null(strchr(text, '\033'));
    sl_buf_fini(&out);
}

TEST(no_line_is_wider_than_the_terminal)
{
    struct sl_buf out;
    shows(&out, "max,sme512=on", 40);
    for (const char *line = (const char *)out.data; *line; line += strcspn(line, "\n") + 1)
        assert_true(strcspn(line, "\n") <= 40);
    sl_buf_fini(&out);
}

TEST(a_list_of_another_shape_is_an_empty_one)
{
    struct sl_buf out;
    cJSON *document = cJSON_Parse("[1,{\"kernels\":3}]");
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_kernels_list_text(&out, document, NULL, 80), 0);
    sl_buf_fini(&out);
    cJSON_Delete(document);
}
