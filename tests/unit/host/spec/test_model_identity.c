/* tests/unit/host/rundir/test_model_identity.c */
#include <stdint.h>
#include <string.h>

#include "tests/support/test.h"

#include "host/spec/model_identity.h"

#define A64 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B64 "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

TEST(a_program_alone_is_its_own_digest)
{
    char out[SL_SHA256_HEX_SIZE];
    sl_model_identity(A64, "", "", out);
    assert_string_equal(out, A64);
}

TEST(program_weights_and_method_each_make_another_model)
{
    static const char *const models[][3] = {
        {A64, "", ""},  {A64, B64, ""}, {A64, A64, ""}, {B64, A64, ""}, {A64, B64, "m"},
        {A64, "", "m"}, {A64, "", "n"}, {B64, "", "m"}, {A64, "m", ""},
    };
    enum { COUNT = sizeof(models) / sizeof(models[0]) };
    char out[COUNT][SL_SHA256_HEX_SIZE];
    for (size_t i = 0; i < COUNT; i++) {
        sl_model_identity(models[i][0], models[i][1], models[i][2], out[i]);
        assert_int_equal(strlen(out[i]), SL_SHA256_HEX_SIZE - 1);
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(out[i], out[k]);
    }
}
