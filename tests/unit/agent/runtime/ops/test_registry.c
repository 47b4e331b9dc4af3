/* tests/unit/agent/runtime/ops/test_registry.c: operators are found by their whole names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/unit.h"

#include "agent/runtime/ops/op.h"
#include "agent/runtime/ops/registry.h"

enum { MOST = 1024 };

static struct sl_pte_operator wanted[MOST];
static uint32_t next[MOST];
static const struct sl_op *found[MOST];

/* The first entry of a name, by looking at one after the other. */
static const struct sl_op *first_of(const char *name)
{
    for (const struct sl_op *const *family = sl_op_families; *family; family++)
        for (const struct sl_op *op = *family; op->name; op++)
            if (strcmp(op->name, name) == 0)
                return op;
    return NULL;
}

static uint32_t want_all(void)
{
    uint32_t count = 0;
    for (const struct sl_op *const *family = sl_op_families; *family; family++)
        for (const struct sl_op *op = *family; op->name; op++) {
            assert_true(count < MOST);
            assert_true(strlen(op->name) >= SL_OP_SHORTEST_NAME);
            wanted[count++].name = op->name;
        }
    return count;
}

TEST(every_name_finds_its_first_entry)
{
    uint32_t count = want_all();
    assert_true(count > 200);
    sl_ops_find(wanted, count, next, found);
    for (uint32_t i = 0; i < count; i++)
        assert_ptr_equal(found[i], first_of(wanted[i].name));
}

TEST(a_name_alone_is_found_as_among_all)
{
    uint32_t count = want_all();
    for (uint32_t i = 0; i < count; i++) {
        sl_ops_find(&wanted[i], 1, next, found);
        assert_ptr_equal(found[0], first_of(wanted[i].name));
    }
}

/* The host's rules are held to that table: an operator without a rule is found there. */
TEST(the_table_of_names_and_categories_has_every_operator)
{
    struct sl_bytes table = sl_test_file("operator-names.tsv");
    char *text = calloc(1, table.size + 1);
    memcpy(text, table.data, table.size);
    uint32_t count = want_all();
    for (uint32_t i = 0; i < count; i++) {
        char name[140], row[160];
        sl_op_event_name(first_of(wanted[i].name), name, sizeof(name));
        snprintf(row, sizeof(row), "\n%s\t", name);
        if (!strstr(text, row))
            fail_msg("%s is not in operator-names.tsv", wanted[i].name);
    }
    free(text);
    free((void *)(uintptr_t)table.data);
}

TEST(an_event_is_called_as_executorch_calls_it)
{
    static const struct {
        const char *op, *event;
    } cases[] = {
        {"aten::add.out", "native_call_add.out"},
        {"dim_order_ops::_to_dim_order_copy.out", "native_call__to_dim_order_copy.out"},
        {"llama::custom_sdpa.out", "llama::custom_sdpa.out"},
        {"llama::channelwise_gated_delta_rule.out", "native_call_llama::gated_delta_rule.out"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[64];
        sl_op_event_name(first_of(cases[i].op), name, sizeof(name));
        assert_string_equal(name, cases[i].event);
    }
}

TEST(unknown_short_and_repeated_names_get_what_is_theirs)
{
    const char *const names[] = {"aten::add.out", "aten::add.outer", "aten::add",    "",
                                 "relu",          "aten::add.out",   "aten::ADD.out"};
    enum { COUNT = sizeof(names) / sizeof(names[0]) };
    for (uint32_t i = 0; i < COUNT; i++)
        wanted[i].name = names[i];
    sl_ops_find(wanted, COUNT, next, found);
    assert_non_null(found[0]);
    assert_string_equal(found[0]->name, "aten::add.out");
    for (uint32_t i = 1; i < COUNT; i++)
        assert_ptr_equal(found[i], i == 5 ? found[0] : NULL);
}
