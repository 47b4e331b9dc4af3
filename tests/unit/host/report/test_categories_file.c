/* tests/unit/host/report/test_categories_file.c */
#include "host/report/categories_file.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/error.h"
#include "common/base/mem.h"
#include "tests/support/test.h"

static int category_of(const struct sl_rules *rules, const char *name, bool *out_known)
{
    *out_known = true;
    if (sl_rules_is_framework(rules, name, strlen(name)))
        return SL_CATEGORY_FRAMEWORK;
    return sl_rules_classify(rules, name, strlen(name), out_known);
}

TEST(every_name_of_the_real_runtime_and_of_ours_has_its_category)
{
    struct sl_categories built_in;
    assert_int_equal(sl_categories_load(NULL, &built_in, NULL), 0);
    FILE *file = fopen(SL_TEST_DATA "/operator-names.tsv", "r");
    assert_non_null(file);
    char line[256];
    unsigned rows = 0;
    assert_non_null(fgets(line, sizeof(line), file)); /* the head of the table */
    while (fgets(line, sizeof(line), file)) {
        char *expected = strchr(line, '\t');
        assert_non_null(expected);
        *expected++ = '\0';
        expected[strcspn(expected, "\r\n")] = '\0';
        bool known;
        int category = category_of(&built_in.rules, line, &known);
        if (strcmp(sl_category_name(category), expected) != 0 || !known)
            fail_msg("%s is %s%s, expected %s", line, sl_category_name(category),
                     known ? "" : " (unknown)", expected);
        rows++;
    }
    fclose(file);
    assert_true(rows > 300); /* the table was there */
    sl_categories_fini(&built_in);
}

static const struct {
    const char *name;
    int category;
} more[] = {
    /* Arm's kit gets these wrong (AD-02, AD-03, AD-04, AD-05, AD-16); then XNNPACK's other names.
     * */
    {"Convert (NC, F32, QD8) #12", SL_CATEGORY_MOVEMENT},
    {"Resize Bilinear (NCHW)", SL_CATEGORY_OTHER},
    {"native_call_addmm.out", SL_CATEGORY_GEMM},
    {"native_call_native_layer_norm.out", SL_CATEGORY_OTHER},
    {"Subtract (ND)", SL_CATEGORY_ELEMENTWISE},
    {"Reduce Max (ND)", SL_CATEGORY_OTHER},
    {"ArgMax Pooling (NHWC, F32)", SL_CATEGORY_OTHER},
    {"Pack LH (X32)", SL_CATEGORY_MOVEMENT},
    {"Depth To Space (NCHW2NHWC, X16)", SL_CATEGORY_MOVEMENT},
    {"RoPE (NTHC, F32)", SL_CATEGORY_ELEMENTWISE},
    {"FREE_CALL", SL_CATEGORY_FRAMEWORK},
    {"Convolution (NHWC, PQS8, QS8, QC8W) IGEMM #3", SL_CATEGORY_CONV},
    {"Convolution (NHWC, F32) VMulCAddC", SL_CATEGORY_CONV},
    {"Deconvolution (NHWC, PQS8, QS8, QC8W) IGEMM", SL_CATEGORY_CONV},
    {"Fully Connected (NC, QP8, F32, QB4W) GEMM", SL_CATEGORY_GEMM},
    {"Dynamic Fully Connected (NC, PF32)", SL_CATEGORY_GEMM},
    {"Batch Matrix Multiply (NC, QDU8, F32, QC8W)", SL_CATEGORY_GEMM},
    {"Copy Sign (ND)", SL_CATEGORY_ELEMENTWISE},
    {"Count Leading Zeros (NC)", SL_CATEGORY_ELEMENTWISE},
    {"Squared Difference (ND)", SL_CATEGORY_ELEMENTWISE},
    {"Mean Squared (ND)", SL_CATEGORY_OTHER},
    {"Normalize (ND)", SL_CATEGORY_OTHER},
    {"Invalid Binary Op", SL_CATEGORY_ELEMENTWISE},
    {"Invalid", SL_CATEGORY_OTHER},
    {"Static Expand Dims (NC)", SL_CATEGORY_MOVEMENT},
    {"Unpooling (NHWC, X32)", SL_CATEGORY_MOVEMENT},
    /* Serialized kinds and full operator names: the label by origin. */
    {"Conv2d", SL_CATEGORY_CONV},
    {"DepthwiseConv2d", SL_CATEGORY_CONV},
    {"ConvTranspose2d", SL_CATEGORY_CONV},
    {"FullyConnected", SL_CATEGORY_GEMM},
    {"BatchMatrixMultiply", SL_CATEGORY_GEMM},
    {"StaticTranspose", SL_CATEGORY_MOVEMENT},
    {"Concatenate5", SL_CATEGORY_MOVEMENT},
    {"GlobalAvgPooling2d", SL_CATEGORY_OTHER},
    {"StaticResizeBilinear2D", SL_CATEGORY_OTHER},
    {"ReciprocalSquareRoot", SL_CATEGORY_ELEMENTWISE},
    {"aten::convolution.out", SL_CATEGORY_CONV},
    {"aten::_log_softmax.out", SL_CATEGORY_OTHER},
    {"aten::max_pool2d_with_indices.out", SL_CATEGORY_OTHER},
    {"aten::masked_fill.Scalar_out", SL_CATEGORY_ELEMENTWISE},
    {"dim_order_ops::_to_dim_order_copy.out", SL_CATEGORY_MOVEMENT},
    {"quantized_decomposed::choose_qparams.Tensor_out", SL_CATEGORY_OTHER},
    {"executorch_prim::sym_max.Scalar", SL_CATEGORY_ELEMENTWISE},
    {"executorch_prim::et_copy_index.tensor", SL_CATEGORY_MOVEMENT},
    {"llama::custom_sdpa.out", SL_CATEGORY_GEMM},
};

TEST(other_names_and_origins_have_sensible_categories)
{
    struct sl_categories built_in;
    assert_int_equal(sl_categories_load(NULL, &built_in, NULL), 0);
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
        bool known;
        int category = category_of(&built_in.rules, more[i].name, &known);
        if (category != more[i].category || !known)
            fail_msg("%s is %s%s", more[i].name, sl_category_name(category),
                     known ? "" : " (unknown)");
    }
    sl_categories_fini(&built_in);
}

TEST(every_name_has_a_part_of_its_category)
{
    static const struct {
        const char *name, *part;
    } names[] = {{"Pack LH (X32) #1", "pack and quantise"},
                 {"Convert (NC, F32, QD8) #2", "pack and quantise"},
                 {"native_call_dequantize_per_tensor.out", "pack and quantise"},
                 {"Transpose (ND, X32) #1", "layout"},
                 {"native_call_permute_copy.out", "layout"},
                 {"native_call__to_dim_order_copy.out", "layout"},
                 {"Depth To Space (NHWC, X32)", "layout"},
                 {"Static Reshape (NC) #1", "copy"},
                 {"native_call_cat.out", "copy"},
                 {"native_call_reflection_pad2d.out", "copy"},
                 {"native_call_replication_pad1d.out", "copy"},
                 {"native_call_tril.out", "copy"},
                 {"Convolution (NHWC, F32) DWConv #4", "depthwise"},
                 {"Convolution (NHWC, F32) IGEMM", "dense"},
                 {"Deconvolution (NHWC, PQS8, QS8, QC8W) IGEMM", "transposed"},
                 {"Fully Connected (NC, F32) GEMM", "fully connected"},
                 {"Batch Matrix Multiply (NC, F32) GEMM", "attention, bmm"},
                 {"native_call_bmm.out", "attention, bmm"},
                 {"Scaled Dot Product Attention (NHTC, F32)", "attention, bmm"},
                 {"Softmax (NC, F32)", "softmax"},
                 {"native_call__log_softmax.out", "softmax"},
                 {"native_call_native_layer_norm.out", "norm"},
                 {"Normalize (ND)", "norm"},
                 {"Max Pooling (NHWC, F32)", "pool"},
                 {"Resize Bilinear (NHWC)", "resize"},
                 {"native_call_mean.out", "reduction"},
                 {"GELU (NC)", "activation"},
                 {"Clamp (NC, F32)", "activation"},
                 {"native_call_acosh.out", "arithmetic"},
                 {"native_call_asinh.out", "arithmetic"},
                 {"native_call_atanh.out", "arithmetic"},
                 {"native_call_native_dropout.out", "arithmetic"},
                 {"Binary Elementwise (ND)", "arithmetic"},
                 {"Unary Elementwise (NC)", "arithmetic"}};
    struct sl_categories built_in;
    assert_int_equal(sl_categories_load(NULL, &built_in, NULL), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct sl_rule *rule =
            sl_rules_find(&built_in.rules, names[i].name, strlen(names[i].name));
        assert_non_null(rule);
        if (!rule->part || strcmp(rule->part, names[i].part) != 0)
            fail_msg("%s is of %s", names[i].name, rule->part ? rule->part : "no part");
    }
    sl_categories_fini(&built_in);
}

TEST(a_name_no_rule_knows_takes_the_fallback)
{
    struct sl_categories built_in;
    assert_int_equal(sl_categories_load(NULL, &built_in, NULL), 0);
    bool known;
    assert_int_equal(category_of(&built_in.rules, "native_call_frobnicate.out", &known),
                     SL_CATEGORY_OTHER);
    assert_false(known);
    assert_int_equal(category_of(&built_in.rules, "", &known), SL_CATEGORY_OTHER);
    assert_false(known);
    sl_categories_fini(&built_in);
}

static int parse(const char *text, struct sl_categories *out, struct sl_diag *diag)
{
    struct sl_bytes json = {(const uint8_t *)text, strlen(text)};
    return sl_categories_parse(json, "own.json", out, diag);
}

TEST(rules_of_a_file_are_taken_in_order)
{
    struct sl_categories own;
    bool known;
    assert_int_equal(parse("{\"version\":7,\"fallback\":\"GEMM\",\"framework\":[\"Shell\"],"
                           "\"rules\":[{\"category\":\"CONV\",\"words\":[\"Big-Thing\"]},"
                           "{\"category\":\"Other\",\"words\":[\"thing\"],\"part\":\"things\"}]}",
                           &own, NULL),
                     0);
    assert_int_equal(own.rules.version, 7);
    assert_string_equal(own.file, "own.json");
    assert_int_equal(strlen(own.sha256), 64);
    assert_int_equal(category_of(&own.rules, "a_big_thing", &known), SL_CATEGORY_CONV);
    assert_int_equal(category_of(&own.rules, "Thing #4", &known), SL_CATEGORY_OTHER);
    assert_int_equal(category_of(&own.rules, "bigthing", &known), SL_CATEGORY_GEMM);
    assert_string_equal(sl_rules_find(&own.rules, "a thing", 7)->part, "things");
    assert_null(sl_rules_find(&own.rules, "a big thing", 11)->part);
    assert_int_equal(category_of(&own.rules, "Shell", &known), SL_CATEGORY_FRAMEWORK);
    sl_categories_fini(&own);
}

TEST(bad_files_are_refused_with_their_place)
{
    static const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"", "own.json", "not JSON from byte 0 on"},
        {"{\"version\":1,", "own.json", "not JSON"},
        {"{\"version\":\"\xff\"}", "own.json", "byte 12, 0xff, is not UTF-8"},
        {"[]", "own.json at /", "an object is expected"},
        {"{\"verzion\":1}", "own.json at /", "unknown key \"verzion\""},
        {"{\"version\":1}", "own.json at /", "the key \"fallback\" is missing"},
        {"{\"version\":-1,\"fallback\":\"CONV\",\"framework\":[],\"rules\":[]}",
         "own.json at /version", "whole number"},
        {"{\"version\":1,\"fallback\":\"Framework\",\"framework\":[],\"rules\":[]}",
         "own.json at /fallback", "one of CONV"},
        {"{\"version\":1,\"fallback\":\"CONV\",\"framework\":{},\"rules\":[]}",
         "own.json at /framework", "an array"},
        {"{\"version\":1,\"fallback\":\"CONV\",\"framework\":[3],\"rules\":[]}",
         "own.json at /framework/0", "name is expected"},
        {"{\"version\":1,\"fallback\":\"CONV\",\"framework\":[],\"rules\":3}", "own.json at /rules",
         "an array"},
        {"{\"version\":1,\"fallback\":\"CONV\",\"framework\":[],\"rules\":[3]}",
         "own.json at /rules/0", "an object"},
        {"{\"version\":1,\"fallback\":\"CONV\",\"framework\":[],"
         "\"rules\":[{\"category\":\"x\",\"words\":[]}]}",
         "own.json at /rules/0/category", "one of CONV"},
        {"{\"version\":1,\"fallback\":\"CONV\",\"framework\":[],"
         "\"rules\":[{\"category\":\"CONV\",\"words\":7}]}",
         "own.json at /rules/0/words", "an array"},
        {"{\"version\":1,\"fallback\":\"CONV\",\"framework\":[],"
         "\"rules\":[{\"category\":\"CONV\",\"words\":[\"a\",\"--\"]}]}",
         "own.json at /rules/0/words/1", "no letter"},
        {"{\"version\":1,\"fallback\":\"CONV\",\"framework\":[],"
         "\"rules\":[{\"category\":\"CONV\",\"words\":[null]}]}",
         "own.json at /rules/0/words/0", "a phrase"},
        {"{\"version\":1,\"fallback\":\"CONV\",\"framework\":[],"
         "\"rules\":[{\"category\":\"CONV\",\"part\":\"\",\"words\":[]}]}",
         "own.json at /rules/0/part", "a name of at most"},
        {"[[[[[[[[[]]]]]]]]]", "own.json", "nests deeper"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sl_categories own;
        struct sl_diag diag = {.what = ""};
        assert_true(parse(cases[i].text, &own, &diag) < 0);
        assert_string_equal(diag.where, cases[i].where);
        assert_non_null(strstr(diag.what, cases[i].what));
    }
}

TEST(parse_survives_each_failed_allocation)
{
    int rc = -1;
    for (unsigned nth = 1; rc != 0; nth++) {
        struct sl_categories own = {.pool = NULL};
        assert_true(nth < 40);
        sl_mem_fail_nth(nth);
        rc = parse("{\"version\":1,\"fallback\":\"CONV\",\"framework\":[\"a\"],"
                   "\"rules\":[{\"category\":\"CONV\",\"part\":\"p\",\"words\":[\"b\"]}]}",
                   &own, NULL);
        sl_categories_fini(&own);
    }
    sl_mem_fail_nth(0);
}
