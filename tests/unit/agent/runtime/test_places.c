/* tests/unit/agent/runtime/test_places.c: reading and writing at places, as the real runtime has
 * it: masks, numbers of rank 0, sums of every type, sources of other types. */
#include <string.h>

#include "common/format/scalar_type.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

/* A list of tensors, gaps as -1. */
static uint32_t add_indices(uint32_t count, const int64_t *tensors)
{
    uint32_t list = sl_program_add_list(0, NULL);
    sl_program.values[list].kind = SL_PTE_OPTIONAL_TENSOR_LIST;
    sl_program.values[list].list.count = count;
    memcpy(sl_program.lists[list], tensors, count * sizeof(*tensors));
    return list;
}

static void number(float *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (float)i;
}

/* How many elements a mask picks is known when it runs; the output follows, and what reads it. */
TEST(a_mask_picks_as_many_as_it_has)
{
    static const uint8_t masks[3][6] = {{1, 0, 0, 1, 0, 1}, {0}, {1, 1, 1, 1, 1, 1}};
    static const int32_t counts[3] = {3, 0, 6};
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3, 2));
    uint32_t mask = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(2, 3), true);
    uint32_t out = sl_program_add_tensor(SL_SIZES(6, 2)),
             less = sl_program_add_tensor(SL_SIZES(6, 2));
    sl_program.tensors[out].dynamism = sl_program.tensors[less].dynamism = SL_PTE_DYNAMIC_BOUND;
    uint32_t list = add_indices(1, (const int64_t[]){mask});
    sl_program_add_call("aten::index.Tensor_out", SL_ARGS(x, list, out));
    sl_program_add_call("aten::neg.out", SL_ARGS(out, less));
    sl_program_must_load();
    number(sl_program_floats(x), 12);
    for (int k = 0; k < 6; k++) {
        memcpy(sl_program_bytes(mask), masks[k % 3], 6);
        sl_program_must_execute();
        assert_int_equal(sl_method_tensor(sl_program.method, less)->sizes[0], counts[k % 3]);
        for (size_t i = 0, at = 0; i < 6; i++)
            if (masks[k % 3][i]) {
                assert_true(sl_program_floats(less)[at++] == -(float)(2 * i));
                assert_true(sl_program_floats(less)[at++] == -(float)(2 * i + 1));
            }
    }
    sl_program_end();
}

TEST(a_mask_behind_a_gap_meets_places_beside_it)
{
    static const uint8_t mask_of[3] = {0, 1, 1};
    static const int64_t place_of[2] = {-1, 0};
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3, 2));
    uint32_t mask = sl_program_add_typed(SL_SCALAR_BYTE, SL_SIZES(3), true);
    uint32_t place = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2), true);
    uint32_t out = sl_program_add_tensor(SL_SIZES(2, 2));
    uint32_t list = add_indices(3, (const int64_t[]){-1, mask, place});
    sl_program_add_call("aten::index.Tensor_out", SL_ARGS(x, list, out));
    sl_program_must_load();
    number(sl_program_floats(x), 12);
    memcpy(sl_program_bytes(mask), mask_of, sizeof(mask_of));
    memcpy(sl_program_bytes(place), place_of, sizeof(place_of));
    sl_program_must_execute();
    const float *got = sl_program_floats(out); /* x[:, [1, 2], [-1, 0]] */
    assert_true(got[0] == 3.0f && got[1] == 4.0f && got[2] == 9.0f && got[3] == 10.0f);
    memset(sl_program_bytes(mask), 1, 3); /* three places beside two */
    assert_int_equal(sl_variant_execute(sl_program.variant, false, &sl_program.diag),
                     SL_ET_INVALID_ARGUMENT);
    sl_program_end();
}

TEST(values_go_where_a_mask_is_and_add_up)
{
    static const uint8_t mask_of[4] = {1, 0, 1, 0};
    for (int adds = 0; adds < 2; adds++) {
        sl_program_begin();
        uint32_t x = sl_program_add_typed(SL_SCALAR_CHAR, SL_SIZES(4), true);
        uint32_t mask = sl_program_add_typed(SL_SCALAR_BOOL, SL_SIZES(4), true);
        uint32_t value = sl_program_add_typed(SL_SCALAR_CHAR, 0, NULL, true);
        uint32_t out = sl_program_add_typed(SL_SCALAR_CHAR, SL_SIZES(4), true);
        uint32_t list = add_indices(1, (const int64_t[]){mask});
        uint32_t how = sl_program_add_bool(adds != 0);
        sl_program_add_call("aten::index_put.out", SL_ARGS(x, list, value, how, out));
        sl_program_must_load();
        memcpy(sl_program_bytes(x), "\x64\x02\x03\x04", 4);
        memcpy(sl_program_bytes(mask), mask_of, 4);
        memset(sl_program_bytes(value), 100, 1);
        sl_program_must_execute();
        assert_memory_equal(sl_program_bytes(out), adds ? "\xc8\x02\x67\x04" : "\x64\x02\x64\x04",
                            4);
        sl_program_end();
    }
}

TEST(five_indices_pick_single_elements)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(SL_SIZES(2, 3, 2, 3, 2)),
             out = sl_program_add_tensor(SL_SIZES(1));
    int64_t at[5];
    for (int i = 0; i < 5; i++)
        at[i] = sl_program_add_typed(SL_SCALAR_INT, SL_SIZES(1), true);
    sl_program_add_call("aten::index.Tensor_out", SL_ARGS(x, add_indices(5, at), out));
    sl_program_must_load();
    number(sl_program_floats(x), 72);
    for (int i = 0; i < 5; i++)
        *(int32_t *)sl_program_bytes((uint32_t)at[i]) = i == 1 ? -1 : 1;
    sl_program_must_execute();
    assert_true(sl_program_floats(out)[0] == 36.0f + 2 * 12 + 6 + 2 + 1);
    sl_program_end();
}

TEST(a_number_has_one_place)
{
    sl_program_begin();
    uint32_t x = sl_program_add_tensor(0, NULL), src = sl_program_add_tensor(0, NULL);
    uint32_t at = sl_program_add_typed(SL_SCALAR_LONG, 0, NULL, true);
    uint32_t picked = sl_program_add_tensor(0, NULL), gathered = sl_program_add_tensor(0, NULL);
    uint32_t put = sl_program_add_tensor(0, NULL), sum = sl_program_add_tensor(0, NULL);
    uint32_t zero = sl_program_add_int(0), no = sl_program_add_bool(false);
    uint32_t dims = sl_program_add_list(1, (const int32_t[]){-1}), none = sl_program_add_null();
    uint32_t mean = sl_program_add_tensor(0, NULL), flipped = sl_program_add_tensor(0, NULL);
    sl_program_add_call("aten::mean.out", SL_ARGS(x, dims, no, none, mean));
    sl_program_add_call("aten::flip.out", SL_ARGS(x, dims, flipped));
    sl_program_add_call("aten::index_select.out", SL_ARGS(x, zero, at, picked));
    sl_program_add_call("aten::gather.out", SL_ARGS(x, zero, at, no, gathered));
    sl_program_add_call("aten::scatter.src_out", SL_ARGS(x, zero, at, src, put));
    sl_program_add_call("aten::scatter_add.out", SL_ARGS(x, zero, at, src, sum));
    sl_program_must_load();
    memset(sl_program_bytes(at), 0, sizeof(int64_t));
    sl_program_floats(x)[0] = 3.0f;
    sl_program_floats(src)[0] = 4.0f;
    sl_program_must_execute();
    assert_true(sl_program_floats(picked)[0] == 3.0f && sl_program_floats(gathered)[0] == 3.0f);
    assert_true(sl_program_floats(mean)[0] == 3.0f && sl_program_floats(flipped)[0] == 3.0f);
    assert_true(sl_program_floats(put)[0] == 4.0f && sl_program_floats(sum)[0] == 7.0f);
    sl_program_end();
}

TEST(sums_at_places_are_of_the_elements_own_type)
{
    static const int types[] = {SL_SCALAR_BYTE, SL_SCALAR_SHORT, SL_SCALAR_HALF, SL_SCALAR_BFLOAT16,
                                SL_SCALAR_BOOL};
    static const uint16_t ones[] = {200, 200, 0x3c00, 0x3f80, 1};
    static const uint16_t sums[] = {144, 400, 0x4000, 0x4000, 1}; /* 144 is 400 in a byte */
    for (size_t k = 0; k < sizeof(types) / sizeof(types[0]); k++) {
        sl_program_begin();
        uint32_t x = sl_program_add_typed(types[k], SL_SIZES(2), true);
        uint32_t src = sl_program_add_typed(types[k], SL_SIZES(2), true);
        uint32_t at = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2), true);
        uint32_t out = sl_program_add_typed(types[k], SL_SIZES(2), true);
        uint32_t zero = sl_program_add_int(0);
        sl_program_add_call("aten::scatter_add.out", SL_ARGS(x, zero, at, src, out));
        sl_program_must_load();
        size_t bytes = sl_method_tensor(sl_program.method, x)->element_bytes;
        memset(sl_program_bytes(x), 0, 2 * bytes);
        for (size_t i = 0; i < 2; i++) {
            memcpy((uint8_t *)sl_program_bytes(src) + i * bytes, &ones[k], bytes);
            ((int64_t *)sl_program_bytes(at))[i] = 1;
        }
        sl_program_must_execute();
        uint16_t got = 0;
        memcpy(&got, (uint8_t *)sl_program_bytes(out) + bytes, bytes);
        assert_int_equal(got, sums[k]);
        sl_program_end();
    }
}

TEST(elements_are_converted_where_they_are_put)
{
    static const float source[3] = {2.7f, -1.5f, 300.0f};
    sl_program_begin();
    uint32_t x = sl_program_add_typed(SL_SCALAR_SHORT, SL_SIZES(2, 3), true);
    uint32_t src = sl_program_add_tensor(SL_SIZES(3));
    uint32_t put = sl_program_add_typed(SL_SCALAR_SHORT, SL_SIZES(2, 3), true);
    uint32_t like = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2, 3), true);
    uint32_t wide = sl_program_add_typed(SL_SCALAR_LONG, SL_SIZES(2, 3), true);
    uint32_t zero = sl_program_add_int(0), one = sl_program_add_int(1);
    uint32_t no = sl_program_add_bool(false), list = add_indices(2, (const int64_t[]){src, src});
    sl_program.values[list].kind = SL_PTE_TENSOR_LIST;
    uint32_t doubles = sl_program_add_typed(SL_SCALAR_DOUBLE, SL_SIZES(6), true);
    sl_program_add_call("aten::select_scatter.out", SL_ARGS(x, src, zero, one, put));
    sl_program_add_call("aten::copy.out", SL_ARGS(like, src, no, wide));
    sl_program_add_call("aten::cat.out", SL_ARGS(list, zero, doubles));
    sl_program_must_load();
    memset(sl_program_bytes(x), 0, 12);
    memcpy(sl_program_bytes(src), source, sizeof(source));
    sl_program_must_execute();
    const int16_t *to = sl_program_bytes(put);
    assert_true(to[2] == 0 && to[3] == 2 && to[4] == -1 && to[5] == 300);
    assert_true(((int64_t *)sl_program_bytes(wide))[1] == -1 &&
                ((int64_t *)sl_program_bytes(wide))[5] == 300);
    assert_true(((double *)sl_program_bytes(doubles))[4] == -1.5);
    sl_program_end();
}
