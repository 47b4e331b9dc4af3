/* host/cli/runtime_dir.h: `run --runtime DIR`: a user's own ExecuTorch libraries in the place of
 * the wheel's.
 *
 * The daemon that runs them is the private one of these libraries: another daemon executes what it
 * was installed with, not what a client names. */
#pragma once

struct sl_diag;

enum { SL_RUNTIME_WORDS_BYTES = 256 };

/* `said` is what --runtime got: its names, and at most one directory. Where there is one: makes a
 * folder of ExecuTorch's files with those of the directory in their places, sets the environment
 * for the private daemon to find it, and writes the names alone to out_words. Returns 0, 1 where
 * there is none, SL_E_UNSUPPORTED (two; with executorch; a server was named), SL_E_NOT_FOUND (no
 * directory, no library in it, no ExecuTorch here), -errno. */
int sl_runtime_dir_take(const char *said, const char *server,
                        char out_words[SL_RUNTIME_WORDS_BYTES], struct sl_diag *diag);
