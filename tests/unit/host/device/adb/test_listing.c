/* tests/unit/host/device/adb/test_listing.c: lists of devices and properties. */
#include "host/device/adb/listing.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

static struct sl_adb_listed listed[4];

static size_t parse(const char *text)
{
    return sl_adb_parse_devices(text, strlen(text), listed, 4);
}

TEST(a_phone_has_its_serial_state_model_and_transport)
{
    assert_int_equal(
        parse("39040DLJH00123         device usb:1-1.2 product:shiba model:Pixel_8 device:shiba "
              "transport_id:7\nemulator-5554          offline transport_id:12\n"),
        2);
    assert_string_equal(listed[0].serial, "39040DLJH00123");
    assert_int_equal(listed[0].state, SL_ADB_ONLINE);
    assert_string_equal(listed[0].model, "Pixel_8");
    assert_int_equal(listed[0].transport_id, 7);
    assert_string_equal(listed[1].serial, "emulator-5554");
    assert_int_equal(listed[1].state, SL_ADB_OFFLINE);
    assert_string_equal(listed[1].model, "");
    assert_int_equal(listed[1].transport_id, 12);
}

TEST(every_state_says_why_and_what_to_do)
{
    static const struct {
        const char *words;
        int state;
    } cases[] = {
        {"unauthorized usb:1-1 transport_id:1", SL_ADB_UNAUTHORIZED},
        {"authorizing transport_id:1", SL_ADB_AUTHORIZING},
        {"connecting transport_id:1", SL_ADB_AUTHORIZING},
        {"no permissions (missing udev rules? user is in the plugdev group); see [http://x.y/z] "
         "usb:1-1 transport_id:1",
         SL_ADB_NO_PERMISSIONS},
        {"recovery transport_id:1", SL_ADB_ELSEWHERE},
        {"devices transport_id:1", SL_ADB_ELSEWHERE},
        {"\x1b[31mred transport_id:1", SL_ADB_ELSEWHERE},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char line[256];
        snprintf(line, sizeof(line), "abc                    %s\n", cases[i].words);
        assert_int_equal(parse(line), 1);
        assert_int_equal(listed[0].state, cases[i].state);
        assert_int_equal(listed[0].transport_id, 1);
        assert_true(sl_adb_state_why(cases[i].state)[0] && sl_adb_state_fix(cases[i].state)[0]);
        assert_null(strchr(listed[0].said, '\x1b'));
    }
    assert_string_equal(sl_adb_state_fix(SL_ADB_ONLINE), "");
}

TEST(lines_without_a_usable_serial_are_passed_over)
{
    char long_serial[128];
    memset(long_serial, 'a', 100);
    snprintf(long_serial + 100, 28, " device\n");
    assert_int_equal(parse(long_serial), 0);
    assert_int_equal(parse("(no serial number) device transport_id:3\n"), 0);
    assert_int_equal(parse("(no serial number) device usb:a-1 usb:1- usb:1-1-1x transport_id:3\n"),
                     0);
    assert_int_equal(parse("a\x01z device\n"), 0);
    assert_int_equal(parse("alone\n\n \n"), 0);
    assert_int_equal(parse("a\tdevice\nb\tdevice\nc\tdevice\nd\tdevice\ne\tdevice"), 4); /* max */
}

TEST(phones_of_one_serial_and_those_without_are_named_by_their_ports)
{
    assert_int_equal(parse("0123456789ABCDEF       device usb:1-1.2 model:A transport_id:7\n"
                           "other                  device usb:1-1.4 transport_id:8\n"
                           "0123456789ABCDEF       no permissions (user 1-2 is in no group); see "
                           "[http://x] 2-3 transport_id:12\n"
                           "(no serial number)     device usb:1-4 transport_id:13\n"),
                     4);
    assert_string_equal(listed[0].serial, "usb:1-1.2");
    assert_string_equal(listed[0].model, "A");
    assert_string_equal(listed[1].serial, "other");
    assert_string_equal(listed[1].port, "usb:1-1.4");
    assert_string_equal(listed[2].serial, "2-3"); /* a server on libusb */
    assert_int_equal(listed[2].state, SL_ADB_NO_PERMISSIONS);
    assert_string_equal(listed[3].serial, "usb:1-4");
    assert_int_equal(parse("a device transport_id:1\na device transport_id:2\n"), 2);
    assert_string_equal(listed[0].serial, "a"); /* the server refuses both, and says why */
}

TEST(a_serial_that_reads_like_the_port_of_another_is_not_used)
{
    assert_int_equal(parse("a device 2-3 transport_id:1\na device 1-7 transport_id:2\n"
                           "2-3 device 1-2 transport_id:3\n1-9 device 1-4 transport_id:4\n"),
                     4);
    assert_string_equal(listed[0].serial, "2-3");
    assert_string_equal(listed[2].serial, "1-2");
    assert_string_equal(listed[2].label, "2-3");
    assert_string_equal(listed[3].serial, "1-9"); /* nobody is in that port */
    assert_true(sl_adb_same_port("usb:1-2", "1-2"));
    assert_false(sl_adb_same_port("", ""));
    assert_true(sl_adb_same_phone(&listed[2], &listed[2]));
    assert_false(sl_adb_same_phone(&listed[0], &listed[1]));
}

TEST(a_serial_becomes_a_name)
{
    char name[SL_ADB_SERIAL_BYTES];
    sl_adb_name_of("127.0.0.1:5601", name);
    assert_string_equal(name, "127.0.0.1-5601");
    sl_adb_name_of("../a b;c", name);
    assert_string_equal(name, "-.-a-b-c");
}

TEST(a_property_is_found_by_its_whole_name)
{
    static const char text[] =
        "[ro.product.model.x]: [no]\r\n[ro.product.model]: [Pixel [8]\x07]\r\n"
        "[ro.build.version.release]: []\n[cut]: [";
    char value[16];
    assert_true(sl_adb_find_property(text, sizeof(text) - 1, "ro.product.model", value, 16));
    assert_string_equal(value, "Pixel [8].");
    assert_true(
        sl_adb_find_property(text, sizeof(text) - 1, "ro.build.version.release", value, 16));
    assert_string_equal(value, "");
    assert_true(sl_adb_find_property(text, sizeof(text) - 1, "cut", value, 16));
    assert_false(sl_adb_find_property(text, sizeof(text) - 1, "ro.product", value, 16));
}
