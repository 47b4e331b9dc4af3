/* host/report/record_join.h: the instructions of an analysed file beside the operators of the model
 * that its ETRecord names: types, places in the source. */
#pragma once

struct sl_analysis;
struct sl_doc;
struct sl_etrecord;
struct sl_json;

/* Member "instructions" of an analysis: one object for each event of the first run that the record
 * knows operators of. Returns 0 or -ENOMEM. */
int sl_record_json(struct sl_json *json, const struct sl_analysis *analysis,
                   const struct sl_etrecord *record);

/* The same as a table for people. */
void sl_record_doc(struct sl_doc *doc, const struct sl_analysis *analysis,
                   const struct sl_etrecord *record);
