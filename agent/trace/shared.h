/* agent/trace/shared.h: what a system has for memory that two processes share. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

/* A file that lives in memory, close-on-exec; -ENOSYS where the system has none that can be written
 * like a file. */
int sl_shared_file_open(const char *name);

/* Nobody can change the file's size from then on, where the system can promise that. */
void sl_shared_file_seal(int fd);

/* Sleeps while the word has this value, or for no reason; sl_shared_wake() ends it, from another
 * process too. */
void sl_shared_sleep(_Atomic uint32_t *word, uint32_t value);
void sl_shared_wake(_Atomic uint32_t *word);
