#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "host/cli/options.h"
#include "tests/support/test.h"

struct values {
    bool flag;
    const char *text;
    int64_t count;
    int64_t whole;
    double real;
    struct sl_option_list list;
    const char *words[2];
    size_t word_count;
};

static int parse(struct values *v, struct sl_diag *diag, char **argv)
{
    const struct sl_option options[] = {
        {"--flag", 'f', SL_OPTION_FLAG, &v->flag, NULL, "a flag"},
        {"--text", 't', SL_OPTION_TEXT, &v->text, "WORD", "a text"},
        {"--count", 0, SL_OPTION_COUNT, &v->count, "N", "a count"},
        {"--real", 0, SL_OPTION_REAL, &v->real, "X", "a number"},
        {"--whole", 0, SL_OPTION_WHOLE, &v->whole, "N", "a number below 0, too"},
        {"--list", 0, SL_OPTION_LIST, &v->list, "ITEM", "an item"},
    };
    const struct sl_usage usage = {
        .verb = "verb", .synopsis = "", .about = "", .options = options, .option_count = 6};
    int argc = 0;
    while (argv[argc])
        argc++;
    memset(v, 0, sizeof(*v));
    memset(diag, 0, sizeof(*diag));
    return sl_options_parse(&usage, argc, argv, v->words, 2, &v->word_count, diag);
}
#define PARSE(...) parse(&v, &diag, (char *[]){"verb", __VA_ARGS__, NULL})

TEST(options_and_words_may_be_mixed)
{
    struct values v;
    struct sl_diag diag;
    assert_int_equal(PARSE("one", "--flag", "--text=a=b", "--count", "7", "--real", "-1.5", "two"),
                     0);
    assert_true(v.flag);
    assert_string_equal(v.text, "a=b");
    assert_int_equal(v.count, 7);
    assert_true(v.real < -1.4 && v.real > -1.6);
    assert_int_equal(v.word_count, 2);
    assert_string_equal(v.words[1], "two");
}

TEST(a_number_may_be_below_0_where_its_option_says_so)
{
    struct values v;
    struct sl_diag diag;
    assert_int_equal(PARSE("--whole", "-5"), 0);
    assert_int_equal(v.whole, -5);
    assert_int_equal(PARSE("--whole=-2147483648"), 0);
    assert_int_equal(v.whole, INT32_MIN);
    assert_int_equal(PARSE("--whole=-2147483649"), SL_E_UNSUPPORTED);
    assert_int_equal(PARSE("--count=-5"), SL_E_UNSUPPORTED);
}

TEST(short_forms_and_lists_are_taken)
{
    struct values v;
    struct sl_diag diag;
    assert_int_equal(PARSE("-f", "-t", "x", "--list", "a", "--list=b"), 0);
    assert_true(v.flag);
    assert_string_equal(v.text, "x");
    assert_int_equal(v.list.count, 2);
    assert_string_equal(v.list.items[1], "b");
}

TEST(two_dashes_end_the_options)
{
    struct values v;
    struct sl_diag diag;
    assert_int_equal(PARSE("--", "--flag", "-"), 0);
    assert_false(v.flag);
    assert_string_equal(v.words[0], "--flag");
}

TEST(an_unknown_option_names_the_nearest)
{
    struct values v;
    struct sl_diag diag;
    assert_int_equal(PARSE("--cuont", "7"), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.hint, "--count"));
    assert_int_equal(PARSE("-x"), SL_E_UNSUPPORTED);
    assert_int_equal(PARSE("-ft"), SL_E_UNSUPPORTED);
}

TEST(values_that_do_not_fit_are_refused)
{
    struct values v;
    struct sl_diag diag;
    static char *bad[] = {"-1", "1.5", "x", "", "99999999999", "7 "};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(PARSE("--count", bad[i]), SL_E_UNSUPPORTED);
    assert_int_equal(PARSE("--real", "inf"), SL_E_UNSUPPORTED);
    assert_int_equal(PARSE("--real", "nan"), SL_E_UNSUPPORTED);
    assert_int_equal(PARSE("--flag=1"), SL_E_UNSUPPORTED);
    assert_int_equal(PARSE("--text"), SL_E_UNSUPPORTED);
    assert_int_equal(PARSE("a", "b", "c"), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.what, "'c'"));
}
