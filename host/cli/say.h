/* host/cli/say.h: what people read on a terminal. */
#pragma once

#include <stdio.h>

/* fprintf() for lines that hold text from outside: names, paths, words of other programs. Bytes
 * that steer a terminal become '?' (sl_utf8_clean()), but for line ends and tabs; so colours are no
 * part of what is said. A text that finds no memory is left out. */
__attribute__((format(printf, 2, 3))) void sl_say(FILE *to, const char *format, ...);
