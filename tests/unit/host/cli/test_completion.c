/* tests/unit/host/cli/test_completion.c */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/base/buf.h"
#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/cli/completion.h"
#include "tests/support/test.h"

TEST(each_shell_completes_every_listed_verb)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    static const char *const lines[] = {"        %s\n", "    '%s:", "-a %s -d '"};
    for (size_t i = 0; i < 3; i++) {
        struct sl_buf text;
        sl_buf_init(&text, 1 << 16);
        assert_int_equal(sl_completion_script(shells[i], sl_verbs, &text), 0);
        for (const struct sl_verb *verb = sl_verbs; verb->name; verb++) {
            char line[64];
            size_t used = 0;
            for (const char *at = lines[i]; *at && used + 20 < sizeof(line); at++) {
                if (at[0] == '%' && at[1] == 's') {
                    used += (size_t)snprintf(line + used, sizeof(line) - used, "%s", verb->name);
                    at++;
                } else {
                    line[used++] = *at;
                }
            }
            line[used] = '\0';
            assert_int_equal(strstr((const char *)text.data, line) != NULL, verb->summary != NULL);
        }
        sl_buf_fini(&text);
    }
}

TEST(another_shell_is_not_found)
{
    struct sl_buf text;
    sl_buf_init(&text, 1 << 16);
    assert_int_equal(sl_completion_script("csh", sl_verbs, &text), SL_E_NOT_FOUND);
    sl_buf_fini(&text);
}

static void offers(const char *first, const char *second, const char *third, const char *expected)
{
    static const struct sl_cli cli = {.verbs = sl_verbs, .server = "unix:/nowhere/s.sock"};
    const char *words[] = {first, second, third};
    size_t count = third ? 3 : second ? 2 : 1;
    struct sl_buf out;
    sl_buf_init(&out, 1 << 16);
    assert_int_equal(sl_completion_words(&cli, words, count, &out), 0);
    assert_string_equal(out.size > 0 ? (const char *)out.data : "", expected);
    sl_buf_fini(&out);
}

TEST(values_of_options_and_verbs_of_verbs_are_offered)
{
    offers("jobs", "--state", "", "queued\nrunning\ndone\nfailed\ncancelled\n");
    offers("token", "add", "", "");
    offers("token", "", NULL, "add\nlist\nrevoke\n");
    offers("kernels", "b", NULL, "bench\n");
    offers("baseline", "", NULL, "write\ncheck\n");
    offers("run", "--device", "",
           "local\ncounted\nemulated\nsme2\n"); /* and of a lab that answers */
    offers("run", "--color", "", "auto\nalways\nnever\n");
}

TEST(files_are_left_to_the_shell)
{
    offers("run", "", NULL, "");
    offers("run", "--inputs", "", "");
    offers("watch", "--out", "", "");
    offers("jobs", "--format", "", ""); /* another verb's */
}

TEST(the_first_word_and_that_of_help_are_verbs)
{
    struct sl_buf out;
    const char *const words[] = {"help", ""};
    for (size_t count = 1; count <= 2; count++) {
        sl_buf_init(&out, 1 << 16);
        assert_int_equal(
            sl_completion_words(&(struct sl_cli){.verbs = sl_verbs}, words, count, &out), 0);
        assert_non_null(strstr((const char *)out.data, "inspect\n"));
        sl_buf_fini(&out);
    }
}
