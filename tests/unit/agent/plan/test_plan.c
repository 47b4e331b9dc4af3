/* tests/unit/agent/plan/test_plan.c: the verb `plan`: how programs would run, as JSON. */
#include "agent/plan/plan.h"

#include "tests/support/test.h"
#include "tests/support/verb_case.h"

#define MODELS SL_TEST_DATA "/models/"

static int begin(void **state)
{
    (void)state;
    sl_verb_case.program = sl_plan_main;
    sl_verb_case.name = "plan";
    return 0;
}

TEST_GROUP(begin, NULL);

TEST(the_operators_of_a_program_are_named_with_their_kernels)
{
    SAY(MODELS "toy_cnn_f32_xnnpack/model.pte");
    sl_verb_case_exited(0);
    sl_verb_case_printed("{\"schema\":\"sme2lab.plan/1\",\"svl_bytes\":");
    sl_verb_case_printed("\"methods\":[{\"name\":\"forward\",\"problem\":null,\"variants\":[");
    sl_verb_case_printed("sl_conv_f32");
}

TEST(a_variant_whose_weights_are_missing_does_not_load_and_says_why)
{
    SAY(MODELS "external_weights_xnnpack/model.pte");
    sl_verb_case_printed("\"loads\":false,\"problems\":[\"Failed to get constant data");
    SAY(MODELS "external_weights_xnnpack/model.pte", MODELS "external_weights_xnnpack/weights.ptd");
    sl_verb_case_exited(0);
    sl_verb_case_printed("\"loads\":true");
    sl_verb_case_printed_not("\"loads\":false");
}

TEST(what_is_no_program_is_refused_with_its_name)
{
    SAY("/nowhere.pte");
    sl_verb_case_exited(1);
    sl_verb_case_complained("sme2lab-agent: plan: /nowhere.pte: ");
    SAY(MODELS "toy_cnn_f32_xnnpack/model.pte", "/nowhere.ptd");
    sl_verb_case_exited(1);
    sl_verb_case_complained("/nowhere.ptd");
    SAY("--help");
    sl_verb_case_exited(2);
    sl_verb_case_complained("usage: sme2lab-agent plan MODEL.pte [WEIGHTS.ptd]");
}
