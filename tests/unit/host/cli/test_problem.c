/* tests/unit/host/cli/test_problem.c */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "common/base/error.h"
#include "host/cli/cli.h"
#include "host/cli/exit_code.h"
#include "host/cli/problem.h"
#include "tests/support/test.h"

static int read_problem(long status, const char *body, struct sl_diag *diag)
{
    memset(diag, 0, sizeof(*diag));
    return sl_problem_read(status, (struct sl_bytes){(const uint8_t *)body, strlen(body)},
                           "unix:/s", "GET /x", diag);
}

TEST(a_problem_document_is_told_in_its_own_words)
{
    struct sl_diag diag;
    assert_int_equal(read_problem(422,
                                  "{\"type\":\"urn:x\",\"title\":\"Unprocessable\",\"status\":422,"
                                  "\"detail\":\"This must be a SHA-256.\",\"hint\":\"PUT it\"}",
                                  &diag),
                     SL_E_FORMAT);
    assert_string_equal(diag.what, "This must be a SHA-256");
    assert_string_equal(diag.hint, "PUT it");
    assert_string_equal(diag.where, "unix:/s: GET /x");
    assert_int_equal(read_problem(400, "{\"title\":\"Bad\",\"pointer\":\"/runs\"}", &diag),
                     SL_E_FORMAT);
    assert_string_equal(diag.what, "Bad");
    assert_string_equal(diag.where, "/runs");
}

TEST(a_body_that_is_no_document_leaves_the_status)
{
    static const char *const bodies[] = {"",     "<html>",           "[1]", "{\"detail\":7}",
                                         "null", "{\"detail\":\"\"}"};
    struct sl_diag diag;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        assert_int_equal(read_problem(502, bodies[i], &diag), -EIO);
        assert_string_equal(diag.what, "The daemon answered 502 and no more");
    }
}

TEST(a_request_that_is_wrong_is_not_looked_for_in_the_daemons_log)
{
    struct sl_diag diag;
    read_problem(422, "{\"detail\":\"sql: there is no statement\"}", &diag);
    assert_string_equal(diag.what, "sql: there is no statement");
    assert_null(strstr(diag.hint, "log"));
    read_problem(500, "{\"detail\":\"x\"}", &diag);
    assert_non_null(strstr(diag.hint, "log"));
}

TEST(words_cannot_steer_a_terminal)
{
    struct sl_diag diag;
    read_problem(500, "{\"detail\":\"a\\u001b[2Jb\"}", &diag);
    assert_string_equal(diag.what, "a?[2Jb");
}

TEST(each_status_means_its_exit_code)
{
    static const struct {
        long status;
        int exit_code;
    } codes[] = {{400, SL_EXIT_USAGE}, {401, SL_EXIT_LAB},   {403, SL_EXIT_LAB},
                 {404, SL_EXIT_USAGE}, {409, SL_EXIT_USAGE}, {413, SL_EXIT_USAGE},
                 {422, SL_EXIT_USAGE}, {429, SL_EXIT_LAB},   {500, SL_EXIT_LAB},
                 {503, SL_EXIT_LAB},   {507, SL_EXIT_LAB},   {302, SL_EXIT_LAB}};
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        assert_int_equal(sl_exit_for_error(sl_problem_code(codes[i].status)), codes[i].exit_code);
}
