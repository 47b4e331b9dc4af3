/* tests/fuzz/program_fields.h: which bytes of a program its parsers read, and as what. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum program_field_kind { SCALAR, FLOAT, COUNT, ELEMENTS, OFFSET };

struct program_field {
    enum program_field_kind kind;
    const uint8_t *at;
    uint32_t bytes;   /* of the field; of an element */
    uint32_t count;   /* of elements */
    const char *name; /* of the table behind an offset */
};

enum { PROGRAM_FIELDS_MAX = 1 << 18 };

struct sl_data;

/* Lists the fields that are read when the program is opened (`data` at a multiple of 16, `external`
 * its .ptd or NULL) and each of its methods planned; borrowed until the next call. Returns how
 * many: at most PROGRAM_FIELDS_MAX, the rest are not listed. */
size_t program_fields_list(const uint8_t *data, size_t size, const struct sl_data *external,
                           const struct program_field **out);
