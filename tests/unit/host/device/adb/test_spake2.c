/* tests/unit/host/device/adb/test_spake2.c: against the BoringSSL that Debian's adb links with. */
#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include "host/device/adb/spake2.h"

#include <dlfcn.h>
#include <string.h>

#include "common/base/error.h"
#include "tests/support/unit.h"

#define LIBRARY SL_TEST_ADB "/usr/lib/x86_64-linux-gnu/android/libcrypto.so.0"

/* AddressSanitizer refuses RTLD_DEEPBIND, without which BoringSSL would meet OpenSSL's functions.
 */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

enum { TIMES = 20, FIRST = 0, SECOND = 1 };

static const char names[2][16] = {"adb pair client", "adb pair server"};

typedef void *(*create_fn)(int role, const char *mine, size_t mine_len, const char *theirs,
                           size_t their_len);
typedef int (*step_fn)(void *context, uint8_t *out, size_t *out_len, size_t max, const uint8_t *in,
                       size_t in_len);

static void find(void *library, const char *name, void *out)
{
    void *symbol = dlsym(library, name);
    assert_non_null(symbol);
    memcpy(out, &symbol, sizeof(symbol));
}

/* Both have a key; true: the same. */
static bool agrees_with_boringssl(bool first, const char *ours, const char *theirs)
{
    void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    create_fn create;
    step_fn message, key;
    uint8_t sent[64], own[SL_SPAKE2_KEY_BYTES], other[SL_SPAKE2_KEY_BYTES];
    size_t len = 0;
    struct sl_spake2 spake;
    if (!library)
        fail_msg("%s; scripts/setup fetches it", dlerror());
    find(library, "SPAKE2_CTX_new", &create);
    find(library, "SPAKE2_generate_msg", &message);
    find(library, "SPAKE2_process_msg", &key);
    void *peer = create(first ? SECOND : FIRST, names[first], 16, names[!first], 16);
    assert_int_equal(
        message(peer, sent, &len, sizeof(sent), (const uint8_t *)theirs, strlen(theirs)), 1);
    assert_int_equal(len, SL_SPAKE2_MESSAGE_BYTES);
    assert_int_equal(sl_spake2_init(&spake, first, ours, strlen(ours)), 0);
    assert_int_equal(key(peer, other, &len, sizeof(other), spake.message, sizeof(spake.message)),
                     1);
    assert_int_equal(len, SL_SPAKE2_KEY_BYTES);
    assert_int_equal(sl_spake2_key(&spake, sent, own), 0);
    sl_spake2_fini(&spake);
    return memcmp(own, other, sizeof(own)) == 0;
}

TEST(both_roles_agree_with_boringssl)
{
    if (SANITIZED)
        skip();
    (void)state;
    for (int i = 0; i < TIMES; i++) { /* a scalar's low bits decide about multiples of the order */
        char password[16];
        snprintf(password, sizeof(password), "%06d", i * 7919);
        assert_true(agrees_with_boringssl(true, password, password));
        assert_true(agrees_with_boringssl(false, password, password));
    }
}

TEST(another_password_gives_another_key)
{
    if (SANITIZED)
        skip();
    (void)state;
    assert_false(agrees_with_boringssl(true, "123456", "123457"));
}

TEST(what_is_no_point_of_the_curve_is_refused)
{
    const uint8_t no_point[SL_SPAKE2_MESSAGE_BYTES] = {2};
    uint8_t key[SL_SPAKE2_KEY_BYTES];
    struct sl_spake2 spake;
    (void)state;
    assert_int_equal(sl_spake2_init(&spake, true, "123456", 6), 0);
    assert_int_equal(sl_spake2_key(&spake, no_point, key), SL_E_FORMAT);
    sl_spake2_fini(&spake);
}

TEST(a_password_has_a_limit)
{
    static const char password[SL_SPAKE2_PASSWORD_BYTES + 1];
    struct sl_spake2 spake;
    (void)state;
    assert_int_equal(sl_spake2_init(&spake, true, password, sizeof(password)), SL_E_LIMIT);
}
