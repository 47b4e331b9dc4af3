/* host/cli/say.c */
#include "host/cli/say.h"

#include <stdarg.h>
#include <stddef.h>

#include "common/base/mem.h"
#include "common/base/utf8.h"

enum { SHORT_BYTES = 1024 };

void sl_say(FILE *to, const char *format, ...)
{
    char room[SHORT_BYTES], *text = room;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int len = vsnprintf(room, sizeof(room), format, args);
    if (len >= (int)sizeof(room)) {
        text = sl_calloc(1, (size_t)len + 1);
        if (text)
            vsnprintf(text, (size_t)len + 1, format, again);
    }
    va_end(again);
    va_end(args);
    if (len > 0 && text) {
        sl_utf8_clean(text, "\n\t");
        fputs(text, to);
    }
    if (text != room)
        sl_free(text);
}
