/* tests/unit/host/cli/test_device_pair.c: `device pair` with a pairing service that shares no code
 * with ours, and without one. */
#include <string.h>

#include "host/cli/exit_code.h"
#include "tests/support/adb_home.h"
#include "tests/support/cli_case.h"
#include "tests/support/pair_case.h"
#include "tests/support/test.h"

#define NOBODY "127.0.0.1:1"

static int open_case(void **state)
{
    *state = NULL;
    sl_cli_case_begin(NULL);
    return sl_adb_home_make();
}

static int close_case(void **state)
{
    *state = NULL;
    sl_verb_case.input = NULL;
    return sl_adb_home_remove() + sl_cli_case_end();
}

TEST_GROUP(open_case, close_case);

/* Types the code that `typed` is to a phone that shows `shown`; what the phone got is in `said`. */
static void pair(const char *shown, const char *typed, const char *option, char said[2048])
{
    struct sl_pair_peer peer = sl_pair_peer_start(shown, NULL);
    sl_verb_case.input = typed;
    SAY("device", "pair", peer.address, option);
    sl_pair_peer_end(&peer, said, 2048);
}

TEST(a_phone_that_showed_the_code_trusts_this_users_key)
{
    char said[2048];
    pair("123456", "123456\n", NULL, said);
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("Paired with adb-PEER");
    sl_verb_case_printed("it trusts this user's adb key.");
    assert_memory_equal(said, "kind 0: ", 8); /* a key */
    pair("123456", "123456", "--json", said);
    sl_verb_case_exited(SL_EXIT_DONE);
    sl_verb_case_printed("{\"schema\":\"sme2lab.device_pair/1\",\"address\":\"127.0.0.1:");
    sl_verb_case_printed("\"name\":\"adb-PEER");
    sl_verb_case_printed_not("123456");
}

TEST(another_code_is_refused_by_the_phone)
{
    char said[2048];
    pair("123456", "123457\n", NULL, said);
    assert_int_not_equal(sl_verb_case.code, SL_EXIT_DONE);
    sl_verb_case_complained("The phone has another code");
    assert_string_equal(said, "");
}

TEST(what_is_no_code_and_who_is_no_phone_are_said)
{
    char many[300];
    memset(many, '1', sizeof(many) - 1);
    many[sizeof(many) - 1] = '\0';
    sl_verb_case.input = NULL;
    SAY("device", "pair", NOBODY);
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("There is no code");
    sl_verb_case.input = many;
    SAY("device", "pair", NOBODY);
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case_complained("The code is too long");
    sl_verb_case.input = "\n";
    SAY("device", "pair", NOBODY);
    sl_verb_case_exited(SL_EXIT_USAGE);
    sl_verb_case.input = "123456\n";
    SAY("device", "pair", NOBODY);
    sl_verb_case_exited(SL_EXIT_LAB);
    SAY("device", "pair", "phone");
    sl_verb_case_exited(SL_EXIT_USAGE);
}
