/* common/base/utf8.c */
#include "common/base/utf8.h"

#include <string.h>

size_t sl_utf8_length(const unsigned char *at)
{
    unsigned char lead = at[0];
    if (lead < 0x80)
        return 1;
    size_t len = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4)
        return 0;
    for (size_t i = 1; i < len; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    }
    bool bad = (lead == 0xe0 && at[1] < 0xa0) || (lead == 0xed && at[1] > 0x9f) ||
               (lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] > 0x8f);
    return bad ? 0 : len;
}

size_t sl_utf8_first_bad(struct sl_bytes text)
{
    size_t at = 0;
    while (at < text.size) {
        unsigned char ended[4] = {0}; /* so that no sequence is read past the end */
        for (size_t i = 0; i < sizeof(ended) && at + i < text.size; i++)
            ended[i] = text.data[at + i];
        size_t len = ended[0] < 0x80 ? 1 : sl_utf8_length(ended);
        if (len == 0)
            break;
        at += len;
    }
    return at;
}

bool sl_utf8_steers(const unsigned char *at, size_t len)
{
    bool control = (len == 1 && (at[0] < 0x20 || at[0] == 0x7f)) ||
                   (len == 2 && at[0] == 0xc2 && at[1] < 0xa0);
    bool turns =
        len == 3 && at[0] == 0xe2 &&
        ((at[1] == 0x80 && ((at[2] >= 0xaa && at[2] <= 0xae) || at[2] == 0x8e || at[2] == 0x8f)) ||
         (at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9));
    return control || turns;
}

bool sl_utf8_is_plain(const char *text)
{
    for (size_t len; *text; text += len) {
        const unsigned char *at = (const unsigned char *)text;
        len = sl_utf8_length(at);
        if (len == 0 || sl_utf8_steers(at, len))
            return false;
    }
    return true;
}

void sl_utf8_clean(char *text, const char *kept)
{
    for (size_t len; *text; text += len) {
        const unsigned char *at = (const unsigned char *)text;
        size_t known = sl_utf8_length(at);
        len = known ? known : 1;
        if (!known || (sl_utf8_steers(at, len) && !(len == 1 && strchr(kept, *text))))
            memset(text, '?', len);
    }
}
