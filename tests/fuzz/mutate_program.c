/* tests/fuzz/mutate_program.c: programs that are whole but lie. Fields that the parsers read are
 * given other values, vectors other lengths, offsets other tables of the same kind; the container
 * stays valid, so that what breaks is what is done with it.
 *   mutate_program SECONDS|COUNTx SEED FOUND MODEL.pte... ; an input that the sanitizers refuse is
 *   left in the file FOUND */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/runtime/runtime.h"
#include "common/base/bytes.h"
#include "common/format/flatbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

enum { MAX_PLACES = 1 << 16, MAX_MODELS = 64, MAX_BYTES = 4 << 20, MOST_CHANGES = 4 };

enum kind { SCALAR, FLOAT, COUNT, ELEMENTS, OFFSET };
struct place {
    enum kind kind;
    const uint8_t *at;
    uint32_t bytes;   /* of the field; of an element */
    uint32_t count;   /* of elements */
    const char *name; /* of the table behind an offset */
};

/* What was read of the program that is being listed; `list` is false while mutants run. */
static struct {
    struct place places[MAX_PLACES];
    size_t count;
    bool list;
} seen;

static struct {
    const char *found;
    uint8_t *data;
    size_t size;
} current;

static uint64_t state;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below ? (state >> 11) % below : 0;
}

static void remember(enum kind kind, const uint8_t *at, uint32_t bytes, uint32_t count,
                     const char *name)
{
    if (seen.list && at && seen.count < MAX_PLACES)
        seen.places[seen.count++] = (struct place){kind, at, bytes, count, name};
}

/* Every reader of common/format/flatbuf.h is wrapped (-Wl,--wrap). */
#define WRAP_SCALAR(suffix, type, kind)                                                            \
    type __real_sl_flatbuf_##suffix(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,   \
                                    unsigned slot, type absent);                                   \
    type __wrap_sl_flatbuf_##suffix(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,   \
                                    unsigned slot, type absent);                                   \
    type __wrap_sl_flatbuf_##suffix(struct sl_flatbuf *fb, const struct sl_flatbuf_table *table,   \
                                    unsigned slot, type absent)                                    \
    {                                                                                              \
        remember(kind, sl_flatbuf_field(fb, table, slot, sizeof(type)), sizeof(type), 1, NULL);    \
        return __real_sl_flatbuf_##suffix(fb, table, slot, absent);                                \
    }
WRAP_SCALAR(u8, uint8_t, SCALAR)
WRAP_SCALAR(u32, uint32_t, SCALAR)
WRAP_SCALAR(i32, int32_t, SCALAR)
WRAP_SCALAR(u64, uint64_t, SCALAR)
WRAP_SCALAR(f32, float, FLOAT)

struct sl_flatbuf_vector __real_sl_flatbuf_vector(struct sl_flatbuf *fb,
                                                  const struct sl_flatbuf_table *table,
                                                  unsigned slot, unsigned element_bytes);
struct sl_flatbuf_vector __wrap_sl_flatbuf_vector(struct sl_flatbuf *fb,
                                                  const struct sl_flatbuf_table *table,
                                                  unsigned slot, unsigned element_bytes);
struct sl_flatbuf_vector __wrap_sl_flatbuf_vector(struct sl_flatbuf *fb,
                                                  const struct sl_flatbuf_table *table,
                                                  unsigned slot, unsigned element_bytes)
{
    struct sl_flatbuf_vector v = __real_sl_flatbuf_vector(fb, table, slot, element_bytes);
    if (v.present) {
        remember(COUNT, fb->data + v.at - 4, 4, 1, NULL);
        if (v.count > 0 && element_bytes <= 8)
            remember(ELEMENTS, fb->data + v.at, element_bytes, v.count, NULL);
    }
    return v;
}

struct sl_flatbuf_table __real_sl_flatbuf_child(struct sl_flatbuf *fb,
                                                const struct sl_flatbuf_table *table, unsigned slot,
                                                const char *name);
struct sl_flatbuf_table __wrap_sl_flatbuf_child(struct sl_flatbuf *fb,
                                                const struct sl_flatbuf_table *table, unsigned slot,
                                                const char *name);
struct sl_flatbuf_table __wrap_sl_flatbuf_child(struct sl_flatbuf *fb,
                                                const struct sl_flatbuf_table *table, unsigned slot,
                                                const char *name)
{
    remember(OFFSET, sl_flatbuf_field(fb, table, slot, 4), 4, 1, name);
    return __real_sl_flatbuf_child(fb, table, slot, name);
}

static uint64_t load(const uint8_t *at, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    return value;
}

static void store(uint8_t *at, uint32_t bytes, uint64_t value)
{
    memcpy(at, &value, bytes);
}

/* A value that code is likely not to expect. */
static uint64_t other_value(uint64_t old)
{
    static const uint64_t odd[] = {0,        1,          2,          3,          7,
                                   8,        16,         255,        65535,      0x7fffffff,
                                   1u << 31, 0xffffffff, UINT64_MAX, 1ull << 62, 1ull << 32};
    switch (draw(6)) {
    case 0:
        return odd[draw(sizeof(odd) / sizeof(odd[0]))];
    case 1:
        return old + 1 + draw(3);
    case 2:
        return old - 1 - draw(3);
    case 3:
        return old * 2;
    case 4:
        return old ^ (1ull << draw(64));
    default:
        return draw(64);
    }
}

static float other_float(void)
{
    static const float odd[] = {0.0f, -0.0f, 1.0f, -1.0f, 1e-40f, 1e38f, -1e38f, 0.5f, 255.0f};
    size_t i = draw(sizeof(odd) / sizeof(odd[0]) + 2);
    union {
        uint32_t bits;
        float value;
    } special = {i & 1 ? 0x7fc00000u : 0x7f800000u};
    return i < sizeof(odd) / sizeof(odd[0]) ? odd[i] : special.value;
}

/* Lets an offset name another table of its kind, if one lies behind it. */
static void redirect(const uint8_t *base, uint8_t *copy, const struct place *p)
{
    for (int tries = 0; tries < 16; tries++) {
        const struct place *q = &seen.places[draw(seen.count)];
        if (q->kind != OFFSET || q == p || strcmp(q->name, p->name) != 0)
            continue;
        const uint8_t *target = q->at + sl_load_u32(q->at);
        if (target <= p->at)
            continue;
        store(copy + (p->at - base), 4, (uint64_t)(target - p->at));
        return;
    }
}

static void change(const uint8_t *base, size_t size, uint8_t *copy)
{
    const struct place *p = &seen.places[draw(seen.count)];
    if (p->at < base || p->at >= base + size)
        return;
    uint8_t *at = copy + (p->at - base);
    float value;
    switch (p->kind) {
    case SCALAR:
        store(at, p->bytes, other_value(load(at, p->bytes)));
        break;
    case FLOAT:
        value = other_float();
        memcpy(at, &value, sizeof(value));
        break;
    case COUNT:
        store(at, 4, draw(4) == 0 ? other_value(load(at, 4)) : draw(load(at, 4) + 1));
        break;
    case ELEMENTS:
        at += (size_t)draw(p->count) * p->bytes;
        store(at, p->bytes, other_value(load(at, p->bytes)));
        break;
    default:
        redirect(base, copy, p);
    }
}

static void keep_input(void)
{
    FILE *file = fopen(current.found, "wb");
    if (!file)
        return;
    fwrite(current.data, 1, current.size, file);
    fclose(file);
    fprintf(stderr, "mutate_program: the input is %s\n", current.found);
}

struct model {
    uint8_t *data;
    size_t size;
};

static bool read_model(const char *path, struct model *out)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    out->data = malloc(MAX_BYTES);
    out->size = out->data ? fread(out->data, 1, MAX_BYTES, file) : 0;
    bool whole = out->size > 0 && fgetc(file) == EOF;
    fclose(file);
    return whole;
}

/* Runs one mutant. `data` is what was listed, so that places lie in it. */
static void run_mutant(const struct model *model)
{
    current.data = malloc(model->size);
    current.size = model->size;
    if (!current.data)
        abort();
    memcpy(current.data, model->data, model->size);
    for (uint64_t i = 1 + draw(MOST_CHANGES); i > 0; i--)
        change(model->data, model->size, current.data);
    LLVMFuzzerTestOneInput(current.data, current.size);
    free(current.data);
    current.data = NULL;
}

/* Everything that opening the program and planning its first method reads of it. */
static void list_places(const struct model *model)
{
    static const struct sl_runtime_limits limits = {.bytes = 64 << 20, .instructions = 1 << 16};
    struct sl_model *opened = NULL;
    struct sl_method *method = NULL;
    struct sl_variant *variant = NULL;
    struct sl_diag diag;
    seen.count = 0;
    seen.list = true;
    if (sl_model_open_bytes(model->data, model->size, &limits, NULL, &opened, &diag) == 0 &&
        sl_method_new(opened, NULL, &method, &diag) == 0)
        (void)sl_variant_new(method, 0, 0, NULL, &variant, &diag);
    seen.list = false;
    sl_variant_free(variant);
    sl_method_free(method);
    sl_model_free(opened);
}

int main(int argc, char **argv)
{
    struct model models[MAX_MODELS];
    size_t count = 0;
    uint64_t mutants = 0;
    if (argc < 5) {
        fprintf(stderr, "usage: mutate_program SECONDS|COUNTx SEED FOUND MODEL.pte...\n");
        return 2;
    }
    bool counted = strchr(argv[1], 'x') != NULL;
    uint64_t limit = strtoull(argv[1], NULL, 10);
    state = strtoull(argv[2], NULL, 10) * 2654435761u + 88172645463325252ull;
    current.found = argv[3];
    for (int i = 4; i < argc && count < MAX_MODELS; i++)
        count += read_model(argv[i], &models[count]);
    if (count == 0)
        return 2;
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep_input);
    time_t end = time(NULL) + (time_t)limit;
    const struct model *model = NULL;
    while (counted ? mutants < limit : time(NULL) < end) {
        if (mutants % 20 == 0) {
            model = &models[draw(count)];
            list_places(model);
        }
        if (seen.count > 0)
            run_mutant(model);
        mutants++;
    }
    printf("%" PRIu64 " mutants of %zu programs, %zu fields of the last\n", mutants, count,
           seen.count);
    for (size_t i = 0; i < count; i++)
        free(models[i].data);
    return 0;
}
