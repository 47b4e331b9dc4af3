/* common/base/say.c */
#include "common/base/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "common/base/buf.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"

enum { SHORT_BYTES = 1024 };

__attribute__((format(printf, 2, 0))) static void say(FILE *to, const char *format, va_list args)
{
    char room[SHORT_BYTES], *text = room;
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(room, sizeof(room), format, args);
    if (len >= (int)sizeof(room)) {
        text = sl_calloc(1, (size_t)len + 1);
        if (text)
            vsnprintf(text, (size_t)len + 1, format, again);
    }
    va_end(again);
    if (len > 0 && text) {
        sl_utf8_clean(text, "\n\t");
        fputs(text, to);
    }
    if (text != room)
        sl_free(text);
}

void sl_say(FILE *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say(to, format, args);
    va_end(args);
}

void sl_say_over(FILE *to, const char *format, ...)
{
    va_list args;
    fputc('\r', to);
    va_start(args, format);
    say(to, format, args);
    va_end(args);
    fputs("\033[K", to);
    fflush(to);
}

/* The length of a colour at `at`, which a NUL ends: ESC [ digits and semicolons m; 0: it is none.
 */
static size_t colour(const char *at)
{
    if (at[0] != '\033' || at[1] != '[')
        return 0;
    size_t len = 2 + strspn(at + 2, "0123456789;");
    return at[len] == 'm' ? len + 1 : 0;
}

/* Each stretch between two colours, as sl_utf8_clean() has it. */
static void clean_page(char *text)
{
    for (char *next = text; next; text = next) {
        text += colour(text);
        next = strchr(text, '\033');
        while (next && colour(next) == 0)
            next = strchr(next + 1, '\033');
        if (next)
            *next = '\0';
        sl_utf8_clean(text, "\n\t");
        if (next)
            *next = '\033';
    }
}

static void write_out(FILE *to, const void *text, size_t size, bool colours)
{
    if (size == 0)
        return;
    if (!isatty(fileno(to))) {
        fwrite(text, 1, size, to);
        return;
    }
    char *copy = sl_malloc(size + 1, 1);
    if (!copy)
        return;
    memcpy(copy, text, size);
    copy[size] = '\0';
    for (char *at = copy; (at = memchr(at, '\0', size - (size_t)(at - copy))) != NULL;)
        *at = '?'; /* it would end the text */
    if (colours)
        clean_page(copy);
    else
        sl_utf8_clean(copy, "\n\t");
    fwrite(copy, 1, size, to);
    sl_free(copy);
}

void sl_say_page(FILE *to, const struct sl_buf *page)
{
    write_out(to, page->data, page->size, true);
}

void sl_say_file(FILE *to, const struct sl_buf *file)
{
    write_out(to, file->data, file->size, false);
}
