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
        assert_int_equal(sl_completion_script(shells[i], &text), 0);
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
    assert_int_equal(sl_completion_script("csh", &text), SL_E_NOT_FOUND);
    sl_buf_fini(&text);
}
