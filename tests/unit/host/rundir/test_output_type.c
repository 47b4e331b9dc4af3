/* tests/unit/host/rundir/test_output_type.c */
#include "host/rundir/output_type.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cjson/cJSON.h>

#include "common/base/buf.h"
#include "common/base/json.h"
#include "common/format/pte.h"
#include "common/format/scalar_type.h"
#include "tests/support/unit.h"

enum { MOST = 40 };

static size_t find(const char *model, struct sl_output_type types[MOST])
{
    char path[128];
    struct sl_pte pte;
    snprintf(path, sizeof(path), "models/%s/model.pte", model);
    struct sl_bytes file = sl_test_file(path);
    assert_int_equal(sl_pte_parse(file, &pte, NULL), 0);
    size_t count = sl_output_types_find(sl_pte_find_plan(&pte, NULL), types, MOST);
    sl_pte_fini(&pte);
    free((void *)(uintptr_t)file.data);
    return count;
}

TEST(a_float_program_rounds_nothing)
{
    struct sl_output_type types[MOST];
    assert_int_equal(find("toy_cnn_f32_xnnpack", types), 1);
    assert_int_equal(types[0].scalar_type, SL_SCALAR_FLOAT);
    assert_int_equal(types[0].quantised_values, 0);
    assert_true(types[0].step == 0);
}

TEST(an_int8_program_has_the_step_of_its_last_quantisation)
{
    struct sl_output_type types[MOST];
    assert_int_equal(find("toy_cnn_int8_xnnpack", types), 1);
    /* Convert, three convolutions, a depthwise one, mean, product: pools and reshapes round nothing
     */
    assert_int_equal(types[0].quantised_values, 7);
    assert_true(types[0].step > 1e-4 && types[0].step < 1);
}

TEST(a_dynamically_quantised_program_rounds_without_a_step)
{
    struct sl_output_type types[MOST];
    assert_int_equal(find("transformer_dynq_xnnpack", types), 1);
    assert_true(types[0].quantised_values > 3);
    assert_true(types[0].step == 0);
}

TEST(sums_of_halves_are_as_coarse_as_8_bits)
{
    struct sl_output_type types[MOST];
    assert_int_equal(find("toy_cnn_f16_xnnpack", types), 1);
    assert_int_equal(types[0].scalar_type, SL_SCALAR_HALF);
    assert_int_equal(types[0].quantised_values, 5); /* four convolutions and a product */
    assert_true(types[0].step == 0);
}

TEST(operators_outside_delegates_round_too)
{
    struct sl_output_type types[MOST];
    size_t count = find("kitchen_quant_portable", types), bytes = 0;
    for (size_t i = 0; i < count; i++) {
        assert_true(types[i].quantised_values > 0);
        bytes += types[i].scalar_type == SL_SCALAR_CHAR || types[i].scalar_type == SL_SCALAR_BYTE;
    }
    assert_true(bytes > 0);
}

TEST(what_is_written_is_read_back)
{
    static const struct sl_output_type all[] = {{6, 0, 0}, {6, 12, 0}, {6, 7, 0.0625}};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct sl_buf text;
        struct sl_json json;
        sl_buf_init(&text, 4096);
        sl_json_init(&json, &text);
        sl_json_open_object(&json, NULL);
        sl_output_type_put(&json, &all[i]);
        sl_json_close_object(&json);
        cJSON *object = cJSON_ParseWithLength((const char *)text.data, text.size);
        struct sl_output_type back = sl_output_type_read(object, 6);
        assert_int_equal(back.quantised_values, all[i].quantised_values);
        assert_true(back.step == all[i].step);
        cJSON_Delete(object);
        sl_buf_fini(&text);
    }
    cJSON *lies = cJSON_Parse("{\"quantised_values\": -1, \"step\": 1e300}");
    struct sl_output_type none = sl_output_type_read(lies, 6);
    assert_true(none.quantised_values == 0 && none.step == 0);
    cJSON_Delete(lies);
}
