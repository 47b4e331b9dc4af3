/* agent/run/etlog.h: log lines of ExecuTorch's shape, to stderr:
 * `<L> HH:MM:SS.uuuuuu executorch:<file>:<line>] message`. */
#pragma once

/* Sets the lines' clock to zero. */
void sl_etlog_start(void);

/* `level` is D, I, E or F; `file` and `line` name ExecuTorch's place of the same message, or ours.
 * A message is at most 255 bytes, cut at a character. Not counted on the counted clock, so not to
 * be called between a pause and its resume. */
__attribute__((format(printf, 4, 5))) void sl_etlog(char level, const char *file, int line,
                                                    const char *format, ...);

/* Lines that the real runtime has no words for: the place is ours. */
#define SL_ETLOG(level, ...) sl_etlog(level, SL_FILE_NAME(__FILE__), __LINE__, __VA_ARGS__)
#define SL_FILE_NAME(path) (__builtin_strrchr(path, '/') ? __builtin_strrchr(path, '/') + 1 : path)
