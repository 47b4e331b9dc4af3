/* tests/unit/host/cli/test_server_address.c */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/error.h"
#include "host/cli/server_address.h"
#include "tests/support/test.h"

TEST(addresses_of_all_kinds_are_taken)
{
    struct sl_server_address address;
    struct sl_diag diag;
    assert_int_equal(sl_server_address_parse("unix:/run/x.sock", &address, &diag), 0);
    assert_string_equal(address.socket, "/run/x.sock");
    assert_string_equal(address.url, "http://localhost");
    assert_true(address.loopback);
    assert_int_equal(sl_server_address_parse("http://127.0.0.1:8080/", &address, &diag), 0);
    assert_string_equal(address.url, "http://127.0.0.1:8080");
    assert_string_equal(address.socket, "");
    assert_true(address.loopback);
    assert_int_equal(sl_server_address_parse("tcp:[::1]:80", &address, &diag), 0);
    assert_string_equal(address.url, "http://[::1]:80");
    assert_int_equal(sl_server_address_parse("https://lab.example", &address, &diag), 0);
    assert_string_equal(address.url, "https://lab.example");
    assert_false(address.loopback);
    assert_int_equal(sl_server_address_parse("tls:lab.example:8443", &address, &diag), 0);
    assert_string_equal(address.url, "https://lab.example:8443");
    assert_int_equal(sl_server_address_parse("http://localhost.example", &address, &diag), 0);
    assert_false(address.loopback);
}

TEST(what_is_no_address_is_refused_with_the_fix)
{
    static const char *const words[] = {"",        "/run/x.sock", "unix:",           "ftp://x",
                                        "http://", "http://a/b",  "http://u:p@host", "http://a b"};
    char socket[160] = "unix:";
    struct sl_server_address address;
    memset(socket + 5, 'x', 120);
    for (size_t i = 0; i <= sizeof(words) / sizeof(words[0]); i++) {
        struct sl_diag diag = {.what = ""};
        const char *word = i < sizeof(words) / sizeof(words[0]) ? words[i] : socket;
        assert_int_equal(sl_server_address_parse(word, &address, &diag), SL_E_UNSUPPORTED);
        assert_non_null(strstr(diag.hint, "--server unix:PATH"));
        assert_non_null(strstr(diag.hint, "https://HOST:PORT"));
    }
}

TEST(the_option_goes_before_the_variable_before_the_state_directory)
{
    struct sl_server_address address;
    struct sl_diag diag;
    setenv("SME2LAB_SERVER", "http://127.0.0.1:1", 1);
    setenv("SME2LAB_STATE", "/state", 1);
    assert_int_equal(sl_server_address_find("unix:/s", &address, &diag), 0);
    assert_string_equal(address.name, "unix:/s");
    assert_int_equal(sl_server_address_find(NULL, &address, &diag), 0);
    assert_string_equal(address.name, "http://127.0.0.1:1");
    unsetenv("SME2LAB_SERVER");
    assert_int_equal(sl_server_address_find(NULL, &address, &diag), 0);
    assert_string_equal(address.socket, "/state/sme2labd.sock");
    unsetenv("SME2LAB_STATE");
}
