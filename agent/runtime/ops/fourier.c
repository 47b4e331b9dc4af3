/* agent/runtime/ops/fourier.c */
#include "agent/runtime/ops/fourier.h"

#include <math.h>

#define PI 3.14159265358979323846

struct transform {
    size_t count;
    bool back;
    const struct sl_complex *roots;
    struct sl_complex *terms; /* as many as the largest prime factor */
};

void sl_fourier_roots(size_t count, struct sl_complex *out)
{
    for (size_t k = 0; k < count; k++) {
        double angle = -2.0 * PI * (double)k / (double)count;
        out[k] = (struct sl_complex){cos(angle), sin(angle)};
    }
}

/* 4 where it divides, else the least prime; `count` is more than 1. */
static size_t factor_of(size_t count)
{
    if (count % 4 == 0)
        return 4;
    for (size_t p = 2; p * p <= count; p++)
        if (count % p == 0)
            return p;
    return count;
}

size_t sl_fourier_workspace(size_t count)
{
    size_t largest = 1;
    for (size_t left = count, p; left > 1; left /= p) {
        p = factor_of(left);
        largest = p > largest ? p : largest;
    }
    return largest;
}

static inline struct sl_complex add(struct sl_complex a, struct sl_complex b)
{
    return (struct sl_complex){a.re + b.re, a.im + b.im};
}

static inline struct sl_complex less(struct sl_complex a, struct sl_complex b)
{
    return (struct sl_complex){a.re - b.re, a.im - b.im};
}

/* a times root `at`. */
static inline struct sl_complex turned(const struct transform *t, struct sl_complex a, size_t at)
{
    double re = t->roots[at].re, im = t->back ? -t->roots[at].im : t->roots[at].im;
    return (struct sl_complex){a.re * re - a.im * im, a.re * im + a.im * re};
}

static inline void join_four(const struct transform *t, struct sl_complex *out, size_t part)
{
    struct sl_complex *x = t->terms, even = add(x[0], x[2]), odd = add(x[1], x[3]);
    struct sl_complex apart = less(x[0], x[2]), turn = less(x[1], x[3]);
    turn = t->back ? (struct sl_complex){-turn.im, turn.re}
                   : (struct sl_complex){turn.im, -turn.re}; /* by i, or -i */
    out[0] = add(even, odd);
    out[part] = add(apart, turn);
    out[2 * part] = less(even, odd);
    out[3 * part] = less(apart, turn);
}

/* out[q * part] = sum over r of terms[r] times root q r of `p`. */
static void join_any(const struct transform *t, size_t p, struct sl_complex *out, size_t part)
{
    size_t step = t->count / p;
    for (size_t q = 0; q < p; q++) {
        struct sl_complex sum = t->terms[0];
        for (size_t r = 1, at = q; r < p; r++, at = (at + q) % p)
            sum = add(sum, turned(t, t->terms[r], at * step));
        out[q * part] = sum;
    }
}

/* The transform of `count` numbers, each `stride` = t->count / count after the other. */
static void part_of(const struct transform *t, size_t count, size_t stride,
                    const struct sl_complex *in, struct sl_complex *out)
{
    if (count == 1) {
        *out = *in;
        return;
    }
    size_t p = factor_of(count), part = count / p;
    for (size_t r = 0; r < p; r++)
        part_of(t, part, stride * p, in + r * stride, out + r * part);
    for (size_t k = 0; k < part; k++) {
        t->terms[0] = out[k];
        for (size_t r = 1; r < p; r++)
            t->terms[r] = turned(t, out[r * part + k], r * k * stride);
        if (p == 4)
            join_four(t, out + k, part);
        else
            join_any(t, p, out + k, part);
    }
}

void sl_fourier(size_t count, bool back, const struct sl_complex *roots,
                const struct sl_complex *in, struct sl_complex *out, struct sl_complex *workspace)
{
    const struct transform t = {count, back, roots, workspace};
    part_of(&t, count, 1, in, out);
}
