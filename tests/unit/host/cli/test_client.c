/* tests/unit/host/cli/test_client.c */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <curl/curl.h>

#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/cli/client.h"
#include "tests/support/test.h"

static int open_one(const char *server, const char *ca_file, struct sl_client **out,
                    struct sl_diag *diag)
{
    const struct sl_cli cli = {.server = server, .ca_file = ca_file};
    *diag = (struct sl_diag){.what = ""};
    return sl_client_open(&cli, out, diag);
}

TEST(certificates_are_looked_at_for_https_alone)
{
    struct sl_client *client = NULL;
    struct sl_diag diag;
    setenv("SME2LAB_CACERT", "/nowhere/ca.pem", 1);
    assert_int_equal(open_one("unix:/nowhere.sock", NULL, &client, &diag), 0);
    sl_client_free(client);
    assert_int_equal(open_one("http://127.0.0.1:1", NULL, &client, &diag), 0);
    sl_client_free(client);
    assert_int_equal(open_one("https://127.0.0.1:1", NULL, &client, &diag), -ENOENT);
    assert_string_equal(diag.where, "/nowhere/ca.pem");
    unsetenv("SME2LAB_CACERT");
}

TEST(a_failure_names_whose_certificates_cannot_be_read)
{
    struct sl_client *client = NULL;
    struct sl_diag diag;
    assert_int_equal(open_one("https://127.0.0.1:1", NULL, &client, &diag), 0);
    assert_int_equal(sl_client_call_failed(client, "/", CURLE_SSL_CACERT_BADFILE, &diag),
                     SL_E_FORMAT);
    assert_non_null(strstr(diag.what, "system's certificates"));
    assert_string_equal(diag.where, "https://127.0.0.1:1");
    assert_non_null(strstr(diag.hint, "--cacert"));
    assert_int_equal(sl_client_call_failed(client, "/", CURLE_COULDNT_CONNECT, &diag),
                     -ECONNREFUSED);
    assert_non_null(strstr(diag.hint, "https://HOST:PORT"));
    sl_client_free(client);
    assert_int_equal(open_one("https://127.0.0.1:1", "/dev/null", &client, &diag), 0);
    assert_int_equal(sl_client_call_failed(client, "/", CURLE_SSL_CACERT_BADFILE, &diag),
                     SL_E_FORMAT);
    assert_string_equal(diag.where, "/dev/null");
    sl_client_free(client);
}
