/* tests/unit/host/device/test_link_tcp.c */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/error.h"
#include "common/net/secret.h"
#include "host/device/launch.h"
#include "host/device/link.h"
#include "host/device/transport.h"
#include "host/spec/device_kind.h"
#include "tests/support/test.h"

extern const struct sl_transport_ops sl_transport_tcp;

static int open_wish(const char *link, const char *secret_file, bool unencrypted,
                     struct sl_device *out, struct sl_diag *diag)
{
    const struct sl_device_wish wish = {
        .link = link, .secret_file = secret_file, .allow_unencrypted = unencrypted};
    *diag = (struct sl_diag){.what = ""};
    *out = (struct sl_device){.link = ""};
    return sl_transport_tcp.open_device(&wish, out, diag);
}

TEST(an_address_and_a_secret_are_all_that_it_needs)
{
    struct sl_device device;
    struct sl_diag diag;
    assert_int_equal(open_wish("tcp:127.0.0.1:7000", "/etc/secret", false, &device, &diag), 0);
    assert_string_equal(device.link, "tcp:127.0.0.1:7000");
    assert_string_equal(device.secret_file, "/etc/secret");
    assert_int_equal(open_wish(NULL, "/etc/secret", false, &device, &diag), SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.hint, "sme2lab devices"));
    assert_int_equal(open_wish("tcp:127.0.0.1:7000", NULL, false, &device, &diag),
                     SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.hint, "secret_file"));
    assert_true(open_wish("nowhere", "/etc/secret", false, &device, &diag) < 0);
    assert_true(diag.what[0] != '\0');
}

TEST(what_leaves_the_machine_unencrypted_has_to_be_allowed)
{
    struct sl_device device;
    struct sl_diag diag;
    assert_int_equal(open_wish("tcp:192.0.2.1:7000", "/s", false, &device, &diag),
                     SL_E_UNSUPPORTED);
    assert_non_null(strstr(diag.hint, "allow_unencrypted"));
    assert_int_equal(open_wish("tcp:192.0.2.1:7000", "/s", true, &device, &diag), 0);
}

TEST(a_path_that_is_too_long_is_not_cut)
{
    static char path[2 * sizeof(((struct sl_device *)NULL)->secret_file)];
    struct sl_device device;
    struct sl_diag diag;
    memset(path, 'x', sizeof(path) - 1);
    assert_int_equal(open_wish("tcp:127.0.0.1:7000", path, false, &device, &diag), -ENAMETOOLONG);
}

/* The secret is read for each try, so that a file that was mended counts at once. */
TEST(the_secret_is_read_again_for_each_try)
{
    char path[] = "/tmp/sl-link-tcp-XXXXXX";
    struct sl_device device;
    struct sl_diag diag;
    void *transport = NULL;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(open_wish("tcp:127.0.0.1:7000", path, false, &device, &diag), 0);
    const struct sl_link_options options = {.device = &device};
    assert_int_equal(sl_transport_tcp.open(NULL, &options, NULL, NULL, &transport), 0);
    assert_int_equal(sl_transport_tcp.reach(transport, 0, &diag), SL_E_FORMAT); /* it is empty */
    for (size_t i = 0; i < SL_SECRET_BYTES; i++)
        assert_int_equal(write(fd, "5a", 2), 2);
    assert_int_equal(sl_transport_tcp.reach(transport, 1, &diag), SL_TRANSPORT_CONNECT);
    for (size_t i = 0; i < SL_SECRET_BYTES; i++)
        assert_int_equal(sl_transport_tcp.secret(transport)[i], 0x5a);
    assert_int_equal(fchmod(fd, 0644), 0); /* others may read it */
    assert_int_equal(sl_transport_tcp.reach(transport, 2, &diag), -EPERM);
    sl_transport_tcp.disconnected(transport, -ECONNREFUSED, false);
    assert_true(sl_transport_tcp.close(transport, true, false));
    close(fd);
    unlink(path);
    device.link[0] = '\0';
    assert_true(sl_transport_tcp.open(NULL, &options, NULL, NULL, &transport) < 0);
}
