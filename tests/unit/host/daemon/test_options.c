/* tests/unit/host/daemon/test_options.c: the command line of sme2labd. */
#include "host/daemon/options.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/test.h"

static int parse(struct sl_daemon_options *options, struct sl_diag *diag, const char *const *words)
{
    char *argv[16] = {(char *)(uintptr_t)"sme2labd"};
    int argc = 1;
    for (; words[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)words[argc - 1];
    *diag = (struct sl_diag){.what = ""};
    return sl_daemon_options_parse(options, argc, argv, diag);
}

#define PARSE(...) parse(&options, &diag, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

TEST(nothing_said_leaves_all_to_the_configuration)
{
    struct sl_daemon_options options;
    struct sl_diag diag;
    assert_int_equal(PARSE(), 0);
    assert_null(options.config);
    assert_null(options.state);
    assert_int_equal(options.listen_count, 0);
    assert_false(options.check_config || options.check_store || options.rebuild);
}

TEST(each_option_is_taken_and_addresses_add_up)
{
    struct sl_daemon_options options;
    struct sl_diag diag;
    assert_int_equal(PARSE("--config", "c.json", "--state", "s", "--listen", "unix:a", "--listen",
                           "tcp:127.0.0.1:0", "--rebuild"),
                     0);
    assert_string_equal(options.config, "c.json");
    assert_string_equal(options.state, "s");
    assert_int_equal(options.listen_count, 2);
    assert_string_equal(options.listen[1], "tcp:127.0.0.1:0");
    assert_true(options.rebuild);
    assert_int_equal(PARSE("--peer-url", "https://lab-a:8443"), 0);
    assert_string_equal(options.peer_url, "https://lab-a:8443");
    assert_int_equal(PARSE("--peer-url", "lab-a:8443"), -EINVAL);
    assert_string_equal(diag.where, "lab-a:8443");
    assert_int_equal(PARSE("--check-config"), 0);
    assert_true(options.check_config);
    assert_int_equal(PARSE("--check-store"), 0);
    assert_true(options.check_store);
}

TEST(help_and_version_are_printed_and_end_it)
{
    struct sl_daemon_options options;
    struct sl_diag diag;
    assert_int_equal(PARSE("--help"), 1);
    assert_int_equal(PARSE("--version"), 1);
}

TEST(what_is_no_option_is_named)
{
    struct sl_daemon_options options;
    struct sl_diag diag;
    static const char *const wrong[][3] = {{"--cheese"}, {"word"}, {"--config"}, {"--listen"}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_equal(parse(&options, &diag, wrong[i]), -EINVAL);
        if (!strstr(diag.what, wrong[i][0]) && !strstr(diag.where, wrong[i][0]))
            fail_msg("%s is not named: %s", wrong[i][0], diag.what);
        assert_true(diag.hint[0] != '\0');
    }
}
