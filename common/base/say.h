/* common/base/say.h: what people read on a terminal: nothing from outside may steer it. Programs
 * write by these and by sl_buf_print_line(), whose JSON is clean already. */
#pragma once

#include <stdio.h>

struct sl_buf;

/* fprintf() for lines that hold text from outside: names, paths, words of other programs. Bytes
 * that steer a terminal become '?' (sl_utf8_clean()), but for line ends and tabs; so colours are no
 * part of what is said. A text that finds no memory is left out. */
__attribute__((format(printf, 2, 3))) void sl_say(FILE *to, const char *format, ...);

/* The same in place of the line that a terminal shows; "" takes it away. */
__attribute__((format(printf, 2, 3))) void sl_say_over(FILE *to, const char *format, ...);

/* A whole page that was put together, its colours included; to a file or a pipe as it is. */
void sl_say_page(FILE *to, const struct sl_buf *page);
/* A file of somebody's, without colours; to a file or a pipe as it is. */
void sl_say_file(FILE *to, const struct sl_buf *file);
