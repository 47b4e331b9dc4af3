/* host/device/adb/smart_socket.h: requests to an adb server and what it answers, as bytes. Pure.
 *
 * A request is four hexadecimal digits, the length of the service's name, and the name. A status is
 * OKAY, or FAIL and a text; a text is four digits and its bytes. One request at a time: what comes
 * after a status may be the service's own bytes already, so a reader asks first how many to take.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct sl_buf;

enum { SL_ADB_MAX_TEXT = 0xffff, SL_ADB_REASON_BYTES = 256 };

/* Appends a request. SL_E_LIMIT for a name that does not fit or is empty, -ENOMEM. */
int sl_adb_request(struct sl_buf *out, const char *service);

/* One status. Zeroed before its first byte. */
struct sl_adb_status {
    uint8_t head[8];
    size_t have, left;                /* the second: of the reason, once its length is known */
    char reason[SL_ADB_REASON_BYTES]; /* printable, cut to fit; "" where the server gave none */
};

/* How many bytes belong to it next; 0: it is over. */
size_t sl_adb_status_wants(const struct sl_adb_status *status);
/* Takes at most so many. 1: OKAY; 0: more is to come; SL_E_STATE: FAIL, with its reason;
 * SL_E_FORMAT: no server answers so. */
int sl_adb_status_take(struct sl_adb_status *status, const uint8_t *bytes, size_t len);

/* A stream of texts, of which several may come in one read. */
struct sl_adb_texts {
    uint8_t head[4];
    size_t have, left;
    struct sl_buf *text; /* borrowed; its limit bounds a text, and what is in it between calls is
                          * the text under way */
};
typedef void (*sl_adb_text_fn)(void *user, const char *text, size_t len);

/* Calls `each` for every text that is whole. SL_E_FORMAT, SL_E_LIMIT, -ENOMEM. */
int sl_adb_texts_take(struct sl_adb_texts *texts, const uint8_t *bytes, size_t len,
                      sl_adb_text_fn each, void *user);

/* Copies printable ASCII, a dot for each other byte, cut to fit and terminated. */
void sl_adb_printable(const char *text, size_t len, char *out, size_t size);
