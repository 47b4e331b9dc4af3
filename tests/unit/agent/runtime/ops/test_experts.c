/* tests/unit/agent/runtime/ops/test_experts.c: mixtures of experts against plain loops in double
 * precision, on weights packed here from dense ones (tests/interop/check_operators.py compares
 * with the real runtime). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/format/scalar_type.h"
#include "tests/support/program_case.h"
#include "tests/support/test.h"

enum { TOKENS = 3, EXPERTS = 3, CHOSEN = 2, DIM = 32, HIDDEN = 48, GROUP = 16 };
enum { INPUT, ROUTER, BIAS, UP_AND_GATE, DOWN, OUT = 13, ARGS };
enum { MAX_ROWS = 2 * HIDDEN, MAX_DEPTH = HIDDEN };

struct dense {
    int rows, depth;
    int8_t numbers[MAX_ROWS][MAX_DEPTH];
    float scales[MAX_ROWS][MAX_DEPTH / GROUP];
};

static struct dense up_and_gate[EXPERTS], down[EXPERTS];
static uint32_t args[ARGS];
static int bits;

static int packed_bytes(int rows, int depth)
{
    return 64 + rows * (depth * bits / 8 + depth / GROUP * 8);
}

static void fill(struct dense *m, int rows, int depth)
{
    m->rows = rows;
    m->depth = depth;
    for (int r = 0; r < rows; r++) {
        for (int k = 0; k < depth; k++)
            m->numbers[r][k] = (int8_t)(rand() % (1 << bits) - (1 << (bits - 1)));
        for (int g = 0; g < depth / GROUP; g++)
            m->scales[r][g] = (float)(rand() % 100 + 1) / (float)(1000 << (bits - 4));
    }
}

/* Number `at` of a block of 128. */
static void put(uint8_t *block, int at, int number)
{
    if (bits == 8)
        block[at] = (uint8_t)number;
    else
        block[at / 32 * 16 + at % 16] |= (uint8_t)((number + 8) << (at % 32 < 16 ? 0 : 4));
}

static void pack(const struct dense *m, uint8_t *out)
{
    const int32_t header[] = {6712, 1, bits, 0, 0, 8, 16, 2};
    memset(out, 0, (size_t)packed_bytes(m->rows, m->depth));
    memcpy(out, header, sizeof(header));
    out += 64;
    for (int first = 0; first < m->rows; first += 8)
        for (int g = 0; g < m->depth / GROUP; g++) {
            for (int r = 0; r < 8; r++)
                for (int k = 0; k < 16; k++)
                    put(out, (k / 8 * 8 + r) * 8 + k % 8, m->numbers[first + r][g * GROUP + k]);
            out += 16 * bits;
            for (int r = 0; r < 8; r++)
                memcpy(out + 4 * r, &m->scales[first + r][g], 4);
            out += 64;
        }
}

static double product(const struct dense *m, int row, const double *with)
{
    double sum = 0;
    for (int k = 0; k < m->depth; k++)
        sum += (double)m->numbers[row][k] * (double)m->scales[row][k / GROUP] * with[k];
    return sum;
}

static void answer(int expert, const double *token, double *out)
{
    double between[HIDDEN];
    for (int i = 0; i < HIDDEN; i++) {
        double up = product(&up_and_gate[expert], i, token);
        between[i] = up / (1 + exp(-up)) * product(&up_and_gate[expert], HIDDEN + i, token);
    }
    for (int i = 0; i < DIM; i++)
        out[i] = product(&down[expert], i, between);
}

/* With two of three picked, the one with the lowest rank is left out. */
static void expected(int token, bool sigmoid, double scale, double *out)
{
    double numbers[DIM], scores[EXPERTS], ranks[EXPERTS], sum = 0, from[DIM];
    int worst = 0;
    for (int k = 0; k < DIM; k++) {
        numbers[k] = (double)sl_program_floats(args[INPUT])[token * DIM + k];
        out[k] = 0;
    }
    for (int e = 0; e < EXPERTS; e++) {
        double score = 0;
        for (int k = 0; k < DIM; k++)
            score += (double)sl_program_floats(args[ROUTER])[e * DIM + k] * numbers[k];
        scores[e] = sigmoid ? 1 / (1 + exp(-score)) : exp(score);
        ranks[e] = scores[e] + (sigmoid ? (double)sl_program_floats(args[BIAS])[e] : 0);
        worst = ranks[e] < ranks[worst] ? e : worst;
    }
    for (int e = 0; e < EXPERTS; e++)
        sum += e == worst ? 0 : scores[e];
    for (int e = 0; e < EXPERTS; e++) {
        answer(e, numbers, from);
        for (int k = 0; k < DIM && e != worst; k++)
            out[k] += (sigmoid ? scale : 1) * scores[e] / sum * from[k];
    }
}

static void add_numbers(const char *scoring)
{
    static const int numbers[] = {CHOSEN, EXPERTS, HIDDEN, DIM, GROUP};
    for (uint32_t i = 0; i < 5; i++)
        args[5 + i] = sl_program_add_int(numbers[i]);
    args[10] = sl_program_add_int(bits);
    args[11] = sl_program_add_string(scoring);
    args[12] = sl_program_add_double(2.5);
}

static void begin(int weight_bits, const char *scoring)
{
    const bool sigmoid = strcmp(scoring, "sigmoid") == 0;
    bits = weight_bits;
    srand(7);
    for (int e = 0; e < EXPERTS; e++) {
        fill(&up_and_gate[e], 2 * HIDDEN, DIM);
        fill(&down[e], DIM, HIDDEN);
    }
    sl_program_begin();
    args[INPUT] = sl_program_add_tensor(SL_SIZES(TOKENS, DIM));
    args[ROUTER] = sl_program_add_tensor(SL_SIZES(EXPERTS, DIM));
    args[BIAS] = sl_program_add_tensor(SL_SIZES(sigmoid ? EXPERTS : 0));
    const int32_t up[2] = {EXPERTS, packed_bytes(2 * HIDDEN, DIM)};
    const int32_t back[2] = {EXPERTS, packed_bytes(DIM, HIDDEN)};
    args[UP_AND_GATE] = sl_program_add_typed(SL_SCALAR_BYTE, 2, up, true);
    args[DOWN] = sl_program_add_typed(SL_SCALAR_BYTE, 2, back, true);
    add_numbers(scoring);
    args[OUT] = sl_program_add_tensor(SL_SIZES(TOKENS, DIM));
    sl_program_add_call("llama::quantized_moe_ffn.out", ARGS, args);
}

static void set_data(void)
{
    for (int i = 0; i < TOKENS * DIM; i++)
        sl_program_floats(args[INPUT])[i] = (float)(rand() % 200 - 100) / 50.0f;
    for (int i = 0; i < EXPERTS * DIM; i++)
        sl_program_floats(args[ROUTER])[i] = (float)(rand() % 200 - 100) / 300.0f;
    for (int e = 0; e < EXPERTS; e++) {
        uint8_t *up = sl_program_bytes(args[UP_AND_GATE]), *back = sl_program_bytes(args[DOWN]);
        pack(&up_and_gate[e], up + e * packed_bytes(2 * HIDDEN, DIM));
        pack(&down[e], back + e * packed_bytes(DIM, HIDDEN));
    }
}

static void check(int weight_bits, const char *scoring)
{
    static const float bias[EXPERTS] = {-0.8f, 0.9f, 0.1f};
    const bool sigmoid = strcmp(scoring, "sigmoid") == 0;
    begin(weight_bits, scoring);
    sl_program_must_load();
    set_data();
    if (sigmoid)
        memcpy(sl_program_bytes(args[BIAS]), bias, sizeof(bias));
    sl_program_must_execute();
    for (int t = 0; t < TOKENS; t++) {
        double want[DIM], peak = 0;
        expected(t, sigmoid, 2.5, want);
        for (int i = 0; i < DIM; i++)
            peak = fabs(want[i]) > peak ? fabs(want[i]) : peak;
        for (int i = 0; i < DIM; i++) {
            double got = (double)sl_program_floats(args[OUT])[t * DIM + i];
            if (!(fabs(got - want[i]) <= 2e-6 * peak))
                fail_msg("%d bits, %s: token %d, number %d: %g instead of %g", bits, scoring, t, i,
                         got, want[i]);
        }
    }
    sl_program_end();
}

TEST(each_token_is_answered_by_the_experts_with_the_best_scores)
{
    check(4, "sigmoid");
    check(8, "sigmoid");
    check(4, "softmax");
    check(8, "softmax");
}

TEST(of_scores_that_are_no_numbers_the_first_experts_are_picked)
{
    begin(4, "softmax");
    sl_program_must_load();
    set_data();
    sl_program_floats(args[INPUT])[0] = NAN;
    sl_program_must_execute();
    assert_true(isnan(sl_program_floats(args[OUT])[0]));
    assert_false(isnan(sl_program_floats(args[OUT])[DIM]));
    sl_program_end();
}

TEST(weights_of_another_layout_are_refused)
{
    begin(4, "softmax");
    sl_program_must_load();
    set_data();
    *(int32_t *)sl_program_bytes(args[DOWN]) = 6713;
    assert_int_not_equal(sl_program_execute(), 0);
    sl_program_end();
}

static void refuse(uint32_t argument, int32_t number)
{
    begin(4, "softmax");
    sl_program.values[args[argument]].int_value = number;
    assert_true(sl_program_load(0) != 0 || sl_program_execute() != 0);
    sl_program_end();
}

TEST(numbers_that_do_not_fit_together_are_refused)
{
    refuse(5, 0); /* picked */
    refuse(5, EXPERTS + 1);
    refuse(6, EXPERTS + 1); /* experts */
    refuse(7, 2 * HIDDEN);  /* wider than the weights that are there */
    refuse(8, 2 * DIM);
    refuse(9, 8); /* groups */
    refuse(9, 0);
    refuse(10, 3); /* bits */
    refuse(10, 8);
    begin(4, "sum");
    assert_true(sl_program_load(0) != 0 || sl_program_execute() != 0);
    sl_program_end();
}
