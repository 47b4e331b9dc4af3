/* host/report/page.c */
#include "host/report/page.h"

#include "host/report/markup.h"

static const char style[] =
    ":root{color-scheme:light}"
    "body{font:15px/1.5 system-ui,sans-serif;color:#111;background:#fff;max-width:60rem;"
    "margin:2rem auto;padding:0 1rem}"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;margin:2.2rem 0 .4rem}"
    ".verdict{border:1px solid #bbb;border-left:8px solid #555;padding:.7rem 1rem;margin:0 0 1rem}"
    ".verdict strong{font-size:1.25rem}.verdict ul{margin:.5rem 0 0;padding-left:1.2rem}"
    ".faster,.equivalent{border-left-color:#0072b2}.slower,.wrong{border-left-color:#d55e00}"
    ".banner{background:#fff4d6;border:1px solid #c79a00;padding:.5rem 1rem;margin:0 0 1rem}"
    ".note{color:#444;font-size:.87rem;margin:.2rem 0 .5rem}";
static const char style_of_tables[] =
    "table{border-collapse:collapse;width:100%;font-size:.87rem}.wide{overflow-x:auto}"
    "th,td{text-align:left;padding:.28rem .6rem;border-bottom:1px solid #ddd;vertical-align:top;"
    "overflow-wrap:break-word}"
    "th{border-bottom:2px solid #555;white-space:nowrap}"
    ".r{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    "svg{width:100%;height:auto;margin:.5rem 0 .8rem}"
    "pre{background:#f4f4f4;padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere;"
    "font-size:.85rem}"
    "details summary{cursor:pointer;color:#333;margin:.3rem 0}"
    "@media print{body{margin:0;max-width:none;font-size:11pt}h2{break-after:avoid}"
    "svg,tr{break-inside:avoid}}";

void sl_page_open(struct sl_markup *m, const char *title)
{
    sl_markup_put(m, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                     "style-src 'unsafe-inline'\">\n<title>");
    sl_markup_text(m, title);
    sl_markup_put(m, "</title>\n<style>%s", style);
    sl_markup_put(m, "%s</style></head>\n<body>\n<h1>", style_of_tables);
    sl_markup_text(m, title);
    sl_markup_put(m, "</h1>\n");
}

void sl_page_close(struct sl_markup *m)
{
    sl_markup_put(m, "</body></html>\n");
}
