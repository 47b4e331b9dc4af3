/* agent/probe/board.c */
#include "agent/probe/board.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "agent/probe/phone.h"
#include "agent/probe/sysfs.h"
#include "common/base/digest.h"
#include "common/base/path.h"

#define DEVICE_TREE "sys/firmware/devicetree/base/"

enum { LINE_BYTES = 256, MACHINE_ID_DIGITS = 32 };

/* The word keeps one kind of number apart from another, and the digest from other programs'. */
static void digest(const char *word, const char *model, const char *number,
                   char out[SL_PROBE_BOARD_BYTES])
{
    char text[3 * LINE_BYTES], hex[SL_SHA256_HEX_SIZE];
    int len = snprintf(text, sizeof(text), "sme2lab %s\n%s\n%s\n", word, model, number);
    sl_sha256_hex(text, (size_t)len, hex);
    snprintf(out, SL_PROBE_BOARD_BYTES, "%.16s", hex);
}

/* An image that was not started yet has another word in its place. */
static bool is_machine_id(const char *text)
{
    return strlen(text) == MACHINE_ID_DIGITS &&
           strspn(text, "0123456789abcdef") == MACHINE_ID_DIGITS && sl_probe_is_serial(text);
}

bool sl_probe_board_read(const char *root, char out[SL_PROBE_BOARD_BYTES])
{
    char model[LINE_BYTES], number[LINE_BYTES];
    out[0] = '\0';
    if (sl_path_join(number, sizeof(number), root, "system/bin/getprop") < 0 ||
        access(number, F_OK) == 0)
        return false;
    sl_sysfs_line(root, model, sizeof(model), DEVICE_TREE "model");
    if (sl_sysfs_line(root, number, sizeof(number), DEVICE_TREE "serial-number") &&
        sl_probe_is_serial(number))
        digest("board", model, number, out);
    else if (sl_sysfs_line(root, number, sizeof(number), "etc/machine-id") && is_machine_id(number))
        digest("machine", "", number, out);
    return out[0] != '\0';
}
