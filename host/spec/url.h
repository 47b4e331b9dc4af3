/* host/spec/url.h: names in the daemon's URLs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Appends `name`, with every byte that has a meaning in a URL as %XX; '/' keeps its meaning, so
 * this takes a path of several parts. False: it does not fit, and `url` is what it was. */
bool sl_url_path(char *url, size_t size, const char *name);

/* Appends "&name=value" (or "?name=value", if it is the first) with the value escaped; a value of
 * NULL is left out. False: it does not fit. */
bool sl_url_query(char *url, size_t size, const char *name, const char *value);
