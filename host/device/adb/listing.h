/* host/device/adb/listing.h: what an adb server says of its devices, and a device of itself, as
 * text. Pure: any bytes may come. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SL_ADB_SERIAL_BYTES = 64,
    SL_ADB_WORD_BYTES = 64,
    SL_ADB_MAX_LISTED = 512, /* as many as one text of the server can hold */
};

enum sl_adb_state {
    SL_ADB_ONLINE = 1, /* "device": shell and files can be had */
    SL_ADB_OFFLINE,
    SL_ADB_UNAUTHORIZED,
    SL_ADB_AUTHORIZING, /* and connecting */
    SL_ADB_NO_PERMISSIONS,
    SL_ADB_ELSEWHERE, /* recovery, sideload, bootloader, ...: no Android runs */
};

/* The rule for udev that lets group plugdev, and who sits at the machine, reach phones. */
#define SL_ADB_UDEV_RULE                                                                           \
    "SUBSYSTEM==\"usb\", ENV{DEVTYPE}==\"usb_device\", "                                           \
    "ENV{ID_USB_INTERFACES}==\"*:ff4201:*\", MODE=\"0660\", GROUP=\"plugdev\", TAG+=\"uaccess\""

struct sl_adb_listed {
    char serial[SL_ADB_SERIAL_BYTES]; /* to reach it by: sl_adb_name_by_port() */
    char label[SL_ADB_SERIAL_BYTES];  /* its own serial, which others may have too; "": none */
    int state;                        /* enum sl_adb_state */
    char said[SL_ADB_WORD_BYTES];     /* the server's own word for the state */
    char model[SL_ADB_WORD_BYTES];    /* "" where it says none */
    char port[SL_ADB_SERIAL_BYTES];   /* of USB, as the server names it; "" where it says none */
    uint64_t transport_id;
};

/* Parses the answer to devices-l or track-devices-l: how many went to out[max]. A server takes a
 * port in the place of a serial, and unlike a transport's number it stays when another server runs.
 * Lines are passed over that have no serial and no port that can be used (too long, or with
 * characters that are not printable). */
size_t sl_adb_parse_devices(const char *text, size_t len, struct sl_adb_listed *out, size_t max);

/* Gives each phone the serial to reach it by: its own, or its port where it has none, where another
 * listed one has the same, or where its own reads like the port of another. */
void sl_adb_name_by_port(struct sl_adb_listed *listed, size_t count);

/* Are they one phone? Two lists may name its port differently: "usb:1-2" and "1-2". */
bool sl_adb_same_port(const char *a, const char *b);
bool sl_adb_same_phone(const struct sl_adb_listed *a, const struct sl_adb_listed *b);

/* A serial that can be used: not too long, and printable without spaces. */
bool sl_adb_is_serial(const char *text, size_t len);

/* The serial as a device's name: what is neither letter, digit, '.', '_' nor '-' is a '-'. `out`
 * has SL_ADB_SERIAL_BYTES. */
void sl_adb_name_of(const char *serial, char *out);

/* Why it cannot be used and what to do, "" when it can. Static. */
const char *sl_adb_state_fix(int state);
const char *sl_adb_state_why(int state);

/* The value of a property in the output of `getprop` ("[name]: [value]" in lines), printable; false
 * and "" when it is not there. */
bool sl_adb_find_property(const char *text, size_t len, const char *name, char *out, size_t size);
