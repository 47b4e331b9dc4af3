/* host/report/page.h: the frame of an HTML page that needs no script, no other file and no network.
 */
#pragma once

struct sl_markup;

/* Everything to the end of the headline; `title` is any text. */
void sl_page_open(struct sl_markup *m, const char *title);
void sl_page_close(struct sl_markup *m);
