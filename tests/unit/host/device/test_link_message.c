/* tests/unit/host/device/test_link_message.c */
#include "host/device/link_message.h"

#include <stdint.h>

#include "host/spec/param.h"
#include "proto/job.pb-c.h"
#include "tests/support/test.h"

static bool fits(const struct sl_param *param, const ProtobufCFieldDescriptor *field)
{
    bool number = field->type == PROTOBUF_C_TYPE_UINT32 || field->type == PROTOBUF_C_TYPE_UINT64;
    bool list = field->label == PROTOBUF_C_LABEL_REPEATED;
    switch (param->type) {
    case SL_PARAM_TEXT:
    case SL_PARAM_WORD:
    case SL_PARAM_PATH:
        return field->type == PROTOBUF_C_TYPE_STRING && !list;
    case SL_PARAM_PATHS:
        return field->type == PROTOBUF_C_TYPE_STRING && list;
    case SL_PARAM_COUNT:
    case SL_PARAM_COUNTS:
        return number && !list;
    case SL_PARAM_FLAG:
    case SL_PARAM_CHOICE:
        return field->type == PROTOBUF_C_TYPE_BOOL && !list;
    default:
        return false;
    }
}

TEST(each_parameter_that_goes_to_the_agent_has_a_field_of_its_type)
{
    size_t count = 0;
    for (size_t i = 0; i < sl_param_count; i++) {
        if (!sl_params[i].wire)
            continue;
        const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(
            &sme2lab__proto__job__descriptor, sl_params[i].wire);
        assert_non_null(field);
        assert_true(fits(&sl_params[i], field));
        count++;
    }
    assert_true(count > 10);
}
