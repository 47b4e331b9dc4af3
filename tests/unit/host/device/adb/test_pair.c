/* tests/unit/host/device/adb/test_pair.c: with a pairing service that shares no code with ours
 * (tests/support/pair_peer.c); the stock adb pairs with it too, in tests/integration/test_pair.py.
 */
#include "host/device/adb/pair.h"

#include <errno.h>
#include <string.h>

#include "common/base/error.h"
#include "host/device/adb/key.h"
#include "tests/support/adb_home.h"
#include "tests/support/pair_case.h"
#include "tests/support/unit.h"

static int pair_with(const char *right, const char *lie, const char *code, char *said,
                     struct sl_diag *diag, char name[SL_ADB_PAIR_NAME_BYTES])
{
    struct sl_pair_peer peer = sl_pair_peer_start(right, lie);
    int rc = sl_adb_pair(peer.address, code, name, diag);
    int status = sl_pair_peer_end(&peer, said, 2048);
    assert_int_equal(status == 0, rc == 0 || lie);
    return rc;
}

TEST(the_right_code_makes_the_phone_know_our_key)
{
    char said[2048], name[SL_ADB_PAIR_NAME_BYTES], key[SL_ADB_KEY_TEXT_BYTES];
    struct sl_diag diag;
    (void)state;
    assert_int_equal(sl_adb_home_make(), 0);
    assert_int_equal(pair_with("123456", NULL, "123456", said, &diag, name), 0);
    assert_int_equal(sl_adb_key_public(key, &diag), 0);
    assert_memory_equal(said, "kind 0: ", 8);
    assert_memory_equal(said + 8, key, strlen(key));
    assert_memory_equal(name, "adb-PEER", 8);
    assert_null(strchr(name, '\x1b')); /* of a phone's own words nothing reaches a terminal */
    sl_adb_home_remove();
}

TEST(another_code_is_said)
{
    char said[2048], name[SL_ADB_PAIR_NAME_BYTES];
    struct sl_diag diag;
    (void)state;
    assert_int_equal(sl_adb_home_make(), 0);
    assert_int_equal(pair_with("123456", NULL, "123457", said, &diag, name), -EACCES);
    assert_string_equal(diag.what, "The phone has another code");
    assert_string_equal(said, "");
    sl_adb_home_remove();
}

TEST(what_is_no_pairing_service_is_said)
{
    static const char *const lies[] = {"cut", "long", "point", "plain"};
    char said[2048], name[SL_ADB_PAIR_NAME_BYTES];
    struct sl_diag diag;
    (void)state;
    assert_int_equal(sl_adb_home_make(), 0);
    for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
        assert_int_equal(pair_with("123456", lies[i], "123456", said, &diag, name), SL_E_FORMAT);
        assert_true(diag.what[0] && diag.hint[0]);
    }
    sl_adb_home_remove();
}

TEST(nobody_there_and_no_code_are_said)
{
    char name[SL_ADB_PAIR_NAME_BYTES];
    char code[SL_ADB_PAIR_CODE_BYTES + 2] = "";
    static const char address[] = "127.0.0.1:1";
    struct sl_diag diag;
    (void)state;
    assert_int_equal(sl_adb_home_make(), 0);
    assert_int_equal(sl_adb_pair(address, "123456", name, &diag), -ECONNREFUSED);
    assert_true(diag.what[0] && diag.hint[0]);
    assert_int_equal(sl_adb_pair("phone:1", "123456", name, &diag), -EINVAL);
    assert_int_equal(sl_adb_pair(address, "", name, &diag), -EINVAL);
    memset(code, '1', SL_ADB_PAIR_CODE_BYTES + 1);
    assert_int_equal(sl_adb_pair(address, code, name, &diag), -EINVAL);
    sl_adb_home_remove();
}
