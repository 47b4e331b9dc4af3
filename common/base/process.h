/* common/base/process.h: this process, as its system knows it. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A path that opens the file of this program, or NULL where the system does not say it. Linux
 * opens the very file, though another may stand in its place by now. */
const char *sl_process_file(void);

/* Writes where that file lies, for people; "" where it is not known or longer than `size`. */
void sl_process_path(char *out, size_t size);

/* Makes a pipe whose ends close on exec: ends[0] is read. 0 or -errno. */
int sl_process_pipe(int ends[2]);

/* Asks the system to send this process `signal` when the thread that started it ends; macOS cannot,
 * and there it goes on. -ESRCH: `parent` is no parent of it any more. Makes system calls only, so
 * it may be called between fork() and exec(). */
int sl_process_end_with(pid_t parent, int signal);

/* The most memory that it has had, in bytes; 0 where that is not known. */
uint64_t sl_process_peak_bytes(void);

/* The variable that names folders of shared libraries. */
extern const char sl_process_library_path[];
