/* host/spec/web_origin.h: origins of web pages as browsers name them in a header, "https://HOST" or
 * "https://HOST:PORT". Pure. */
#pragma once

#include <stddef.h>

enum { SL_WEB_ORIGIN_BYTES = 280, SL_WEB_MAX_ORIGINS = 16 };

struct sl_web_origins {
    char texts[SL_WEB_MAX_ORIGINS][SL_WEB_ORIGIN_BYTES];
    size_t count;
};

/* NULL: a browser may say just this. Otherwise what is wrong with it. */
const char *sl_web_origin_trouble(const char *text);
