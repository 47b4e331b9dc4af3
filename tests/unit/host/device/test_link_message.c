/* tests/unit/host/device/test_link_message.c */
#include "host/device/link_message.h"

#include <stdint.h>
#include <string.h>

#include "host/device/link.h"
#include "host/spec/device_facts.h"
#include "host/spec/param.h"
#include "proto/envelope.pb-c.h"
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

static struct sl_device_conditions taken;

static void on_conditions(void *user, const struct sl_device_conditions *now)
{
    (void)user;
    taken = *now;
}

static void take(Sme2lab__Proto__Conditions *said,
                 void (*to)(void *, const struct sl_device_conditions *))
{
    const struct sl_link_events events = {.conditions = to};
    Sme2lab__Proto__Envelope envelope = SME2LAB__PROTO__ENVELOPE__INIT;
    envelope.body_case = SME2LAB__PROTO__ENVELOPE__BODY_CONDITIONS;
    envelope.conditions = said;
    sl_link_message_take(&envelope, &events, NULL);
}

TEST(conditions_come_without_steering_bytes_and_shares_beyond_the_whole)
{
    char warmest[300] = "\x1b[2Jskin";
    Sme2lab__Proto__Conditions said = SME2LAB__PROTO__CONDITIONS__INIT;
    said.millidegrees = -2000;
    said.warmest = warmest;
    said.battery_percent = 101;
    said.power_saver = SME2LAB__PROTO__SWITCH__SWITCH_ON;
    take(&said, on_conditions);
    assert_int_equal(taken.millidegrees, -2000);
    assert_string_equal(taken.warmest, "?[2Jskin");
    assert_int_equal(taken.battery_percent, 0);
    assert_int_equal(taken.power_saver, SL_MAYBE_YES);
    memset(warmest, 'x', sizeof(warmest) - 1);
    said.battery_percent = 100;
    said.power_saver = (Sme2lab__Proto__Switch)99;
    take(&said, on_conditions);
    assert_int_equal(strlen(taken.warmest), sizeof(taken.warmest) - 1);
    assert_int_equal(taken.battery_percent, 100);
    assert_int_equal(taken.power_saver, SL_MAYBE_UNKNOWN);
    take(&said, NULL);
}
