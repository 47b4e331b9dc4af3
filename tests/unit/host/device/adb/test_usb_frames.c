/* tests/unit/host/device/adb/test_usb_frames.c */
#include "host/device/adb/usb_frames.h"

#include <string.h>

#include "common/base/error.h"
#include "host/device/adb/message.h"
#include "tests/support/unit.h"

static struct sl_adb_usb_frames fresh(size_t packet_bytes)
{
    return (struct sl_adb_usb_frames){.packet_bytes = packet_bytes,
                                      .piece_bytes = SL_ADB_USB_PIECE_BYTES};
}

static int take_head(struct sl_adb_usb_frames *frames, uint32_t command, uint32_t len)
{
    const uint32_t head[6] = {command, 1, 2, len, 0, ~command};
    return sl_adb_usb_frames_take(frames, (const uint8_t *)head, sizeof(head));
}

static const uint8_t zeros[SL_ADB_USB_PIECE_BYTES];

TEST(reads_are_whole_packets_and_never_more_than_there_may_come)
{
    struct sl_adb_usb_frames frames = fresh(512);
    (void)state;
    assert_int_equal(sl_adb_usb_frames_wants(&frames), 512);
    assert_int_equal(take_head(&frames, SL_ADB_CNXN, 100), 24);
    assert_int_equal(sl_adb_usb_frames_wants(&frames), 512);
    assert_int_equal(sl_adb_usb_frames_take(&frames, zeros, 100), 100);
    assert_int_equal(take_head(&frames, SL_ADB_WRTE, 1024), 24);
    assert_int_equal(sl_adb_usb_frames_wants(&frames), 1024); /* not one more packet */
    assert_int_equal(sl_adb_usb_frames_take(&frames, zeros, 1024), 1024);
    assert_int_equal(take_head(&frames, SL_ADB_WRTE, 200000), 24);
    assert_int_equal(sl_adb_usb_frames_wants(&frames), SL_ADB_USB_PIECE_BYTES);
}

TEST(what_comes_before_the_introduction_is_passed_over)
{
    struct sl_adb_usb_frames frames = fresh(64);
    (void)state;
    assert_int_equal(take_head(&frames, SL_ADB_WRTE, 30), 0);
    assert_int_equal(sl_adb_usb_frames_take(&frames, zeros, 30), 0);
    assert_int_equal(sl_adb_usb_frames_take(&frames, zeros, 24), 0);
    assert_int_equal(take_head(&frames, SL_ADB_CNXN, SL_ADB_FIRST_BYTES + 1), 0);
    assert_int_equal(take_head(&frames, SL_ADB_AUTH, 20), 24);
    assert_int_equal(sl_adb_usb_frames_take(&frames, zeros, 20), 20);
}

TEST(a_flood_of_rests_ends)
{
    struct sl_adb_usb_frames frames = fresh(64);
    (void)state;
    for (int i = 0; i < SL_ADB_USB_PASSED_OVER; i++)
        assert_int_equal(sl_adb_usb_frames_take(&frames, zeros, 64), 0);
    assert_int_equal(sl_adb_usb_frames_take(&frames, zeros, 64), SL_E_FORMAT);
}

TEST(a_device_that_is_out_of_step_is_refused)
{
    struct sl_adb_usb_frames frames = fresh(64);
    (void)state;
    assert_int_equal(take_head(&frames, SL_ADB_CNXN, 0), 24);
    assert_int_equal(sl_adb_usb_frames_take(&frames, zeros, 0), 0); /* an empty packet is none */
    struct sl_adb_usb_frames bad = frames;
    assert_int_equal(sl_adb_usb_frames_take(&bad, zeros, 24), SL_E_FORMAT);
    bad = frames;
    assert_int_equal(sl_adb_usb_frames_take(&bad, zeros, 23), SL_E_FORMAT);
    bad = frames;
    assert_int_equal(take_head(&bad, SL_ADB_WRTE, SL_ADB_USB_PAYLOAD_BYTES + 1), SL_E_FORMAT);
    bad = frames;
    assert_int_equal(take_head(&bad, SL_ADB_WRTE, 10), 24);
    assert_int_equal(sl_adb_usb_frames_take(&bad, zeros, 11), SL_E_FORMAT);
}
