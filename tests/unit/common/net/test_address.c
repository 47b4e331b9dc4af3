/* tests/unit/common/net/test_address.c */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/net/address.h"
#include "tests/support/test.h"

TEST(every_form_comes_out_as_it_went_in)
{
    static const char *const forms[] = {"tcp:127.0.0.1:7070", "tcp:[::1]:0", "unix:/tmp/x.sock",
                                        "abstract:sme2lab"};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct sl_address address;
        char text[200];
        assert_int_equal(sl_address_parse(forms[i], &address, NULL), 0);
        sl_address_format(&address, text, sizeof(text));
        assert_string_equal(text, forms[i]);
    }
}

TEST(anything_else_is_refused_with_a_hint)
{
    char long_path[300] = "unix:/";
    memset(long_path + 6, 'x', sizeof(long_path) - 7);
    const char *const forms[] = {"",
                                 "tcp:",
                                 "tcp:1.2.3.4",
                                 "tcp:1.2.3.4:",
                                 "tcp:1.2.3.4:65536",
                                 "tcp:1.2.3.4:-1",
                                 "tcp:a:1",
                                 "tcp:[::1:1",
                                 "tcp:[zz]:1",
                                 "unix:",
                                 "abstract:",
                                 "http://x",
                                 long_path};
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        struct sl_address address;
        struct sl_diag diag = {0};
        assert_int_equal(sl_address_parse(forms[i], &address, &diag), -EINVAL);
        assert_true(diag.what[0] && diag.hint[0]);
    }
}

TEST(a_stale_socket_file_is_replaced_and_a_live_one_kept)
{
    char folder[] = "/tmp/sl-address-XXXXXX", text[100];
    struct sl_address address;
    struct stat info;
    assert_non_null(mkdtemp(folder));
    snprintf(text, sizeof(text), "unix:%s/s", folder);
    assert_int_equal(sl_address_parse(text, &address, NULL), 0);
    int first = sl_address_listen(&address, NULL);
    assert_true(first >= 0);
    assert_int_equal(stat(text + 5, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(sl_address_listen(&address, NULL), -EADDRINUSE);
    close(first); /* the file stays behind */
    int second = sl_address_listen(&address, NULL);
    assert_true(second >= 0);
    close(second);
    unlink(text + 5);
    rmdir(folder);
}

TEST(port_zero_gives_the_chosen_one)
{
    struct sl_address address, bound;
    char text[100];
    assert_int_equal(sl_address_parse("tcp:127.0.0.1:0", &address, NULL), 0);
    int fd = sl_address_listen(&address, &bound);
    assert_true(fd >= 0);
    sl_address_format(&bound, text, sizeof(text));
    assert_string_not_equal(text, "tcp:127.0.0.1:0");
    close(fd);
}
