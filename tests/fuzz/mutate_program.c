/* tests/fuzz/mutate_program.c: programs that are whole but lie. Fields that the parsers read are
 * given other values, vectors other lengths, offsets other tables of the same kind; the container
 * stays valid, so that what breaks is what is done with it.
 *   mutate_program SECONDS|COUNTx SEED FOUND MODEL.pte... ; an input that the sanitizers refuse is
 *   left in the file FOUND. Programs have at most 64 MiB; weights.ptd beside one is its data. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/runtime/runtime.h"
#include "common/base/bytes.h"
#include "common/base/mem.h"
#include "tests/fuzz/fuzz_program.h"
#include "tests/fuzz/program_fields.h"

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

enum { MAX_MODELS = 64, MAX_BYTES = 64 << 20, MOST_CHANGES = 4, MUTANTS_A_TURN = 20 };

static struct {
    const struct program_field *fields;
    size_t count;
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
static void redirect(const uint8_t *base, uint8_t *copy, const struct program_field *p)
{
    for (int tries = 0; tries < 16; tries++) {
        const struct program_field *q = &seen.fields[draw(seen.count)];
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
    const struct program_field *p = &seen.fields[draw(seen.count)];
    if (p->at < base || p->at >= base + size)
        return;
    uint8_t *at = copy + (p->at - base);
    float value;
    switch (p->kind) {
    case SCALAR:
        if (p->bytes == sizeof(double) && draw(4) == 0) {
            const double wide = other_float(); /* some are */
            memcpy(at, &wide, sizeof(wide));
            break;
        }
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
    const char *path;
    uint8_t *data;
    size_t size;
    struct sl_data *external; /* of the file weights.ptd beside it */
    uint64_t spent_ns;
};

static void open_external(struct model *model)
{
    char path[4096];
    struct sl_diag diag;
    const char *slash = strrchr(model->path, '/');
    int folder = slash ? (int)(slash - model->path + 1) : 0;
    snprintf(path, sizeof(path), "%.*sweights.ptd", folder, model->path);
    if (sl_data_open(path, NULL, &model->external, &diag) != 0)
        model->external = NULL;
}

static void close_model(struct model *model)
{
    sl_free(model->data);
    sl_data_free(model->external);
}

static void list_fields(const struct model *model)
{
    seen.count = program_fields_list(model->data, model->size, model->external, &seen.fields);
}

/* Values are read inline: not to see them would leave out most of a program. */
static bool has_values(const struct model *model)
{
    list_fields(model);
    for (size_t i = 0; i < seen.count; i++)
        if (seen.fields[i].kind == OFFSET && strcmp(seen.fields[i].name, "EValue") == 0)
            return true;
    return false;
}

/* False with words on stderr for a file that cannot be taken. */
static bool read_model(const char *path, struct model *out)
{
    struct model model = {.path = path};
    FILE *file = fopen(path, "rb");
    long bytes = -1;
    if (file && fseek(file, 0, SEEK_END) == 0)
        bytes = ftell(file);
    bool whole = bytes > 0 && bytes <= MAX_BYTES;
    model.size = whole ? (size_t)bytes : 0;
    model.data = whole ? sl_aligned_alloc(16, model.size) : NULL;
    whole = model.data && fseek(file, 0, SEEK_SET) == 0 &&
            fread(model.data, 1, model.size, file) == model.size;
    if (file)
        fclose(file);
    if (!whole) {
        fprintf(stderr, "mutate_program: %s is no program of at most %d bytes\n", path, MAX_BYTES);
        close_model(&model);
        return false;
    }
    open_external(&model);
    if (!has_values(&model)) {
        fprintf(stderr, "mutate_program: nothing was seen of the values of %s\n", path);
        close_model(&model);
        return false;
    }
    *out = model;
    return true;
}

/* Runs one mutant. The model's bytes are what was listed, so that fields lie in them. */
static void run_mutant(const struct model *model)
{
    current.data = malloc(model->size);
    current.size = model->size;
    if (!current.data)
        abort();
    memcpy(current.data, model->data, model->size);
    for (uint64_t i = 1 + draw(MOST_CHANGES); i > 0; i--)
        change(model->data, model->size, current.data);
    fuzz_program_run(current.data, current.size, model->external);
    free(current.data);
    current.data = NULL;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* At most `most` mutants of one program; returns how many there were. */
static uint64_t take_turn(struct model *model, uint64_t most, uint64_t end_ns)
{
    uint64_t began = now_ns(), mutants = 0;
    list_fields(model);
    for (; mutants < most && now_ns() < end_ns; mutants++)
        run_mutant(model);
    model->spent_ns += now_ns() - began;
    return mutants;
}

/* Programs take turns by drawing, or so that each has the same time: large ones are slow. */
static struct model *choose(struct model *models, size_t count, bool by_time)
{
    size_t least = draw(count);
    for (size_t i = 0; by_time && i < count; i++)
        if (models[i].spent_ns < models[least].spent_ns)
            least = i;
    return &models[least];
}

static uint64_t mutate(struct model *models, size_t count, const char *limit)
{
    bool counted = strchr(limit, 'x') != NULL;
    uint64_t most = counted ? strtoull(limit, NULL, 10) : UINT64_MAX, mutants = 0;
    uint64_t end_ns = counted ? UINT64_MAX : now_ns() + strtoull(limit, NULL, 10) * 1000000000u;
    while (mutants < most && now_ns() < end_ns) {
        uint64_t turn = most - mutants < MUTANTS_A_TURN ? most - mutants : MUTANTS_A_TURN;
        mutants += take_turn(choose(models, count, !counted), turn, end_ns);
    }
    return mutants;
}

int main(int argc, char **argv)
{
    static struct model models[MAX_MODELS];
    size_t count = 0;
    bool whole = argc >= 5 && argc - 4 <= MAX_MODELS;
    if (!whole) {
        fprintf(stderr,
                "usage: mutate_program SECONDS|COUNTx SEED FOUND MODEL.pte... (at most %d)\n",
                MAX_MODELS);
        return 2;
    }
    state = strtoull(argv[2], NULL, 10) * 2654435761u + 88172645463325252ull;
    current.found = argv[3];
    for (int i = 4; i < argc && whole; i++) {
        whole = read_model(argv[i], &models[count]);
        count += whole;
    }
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep_input);
    if (whole)
        printf("%" PRIu64 " mutants of %zu programs, %zu fields of the last\n",
               mutate(models, count, argv[1]), count, seen.count);
    for (size_t i = 0; i < count; i++)
        close_model(&models[i]);
    return whole ? 0 : 2;
}
