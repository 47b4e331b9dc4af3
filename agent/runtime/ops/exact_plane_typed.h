/* agent/runtime/ops/exact_plane_typed.h: windows and resizing of planes of SL_NUMBER, once for
 * each; SL_REAL is what it is multiplied with fractions in. */

static void SL_TYPED(max_plane)(const struct planes *p, const SL_NUMBER *in, SL_NUMBER *out,
                                int64_t *index)
{
    for (size_t i = 0; i < p->out[0] * p->out[1]; i++) {
        size_t y = i / p->out[1], x = i % p->out[1], best = SIZE_MAX, top, bottom, left, right;
        taps_of(p, 0, y, &top, &bottom);
        taps_of(p, 1, x, &left, &right);
        for (size_t down = top; down < bottom; down++)
            for (size_t across = left; across < right; across++) {
                size_t at = place(p, 0, y, down) * p->in[1] + place(p, 1, x, across);
                if (best == SIZE_MAX || in[at] > in[best])
                    best = at;
            }
        out[i] = best == SIZE_MAX ? 0 : in[best];
        index[i] = best == SIZE_MAX ? 0 : (int64_t)best;
    }
}

static void SL_TYPED(mean_plane)(const struct planes *p, const SL_NUMBER *in, SL_NUMBER *out)
{
    for (size_t y = 0; y < p->out[0]; y++)
        for (size_t x = 0; x < p->out[1]; x++) {
            const struct span down = span_of(p, 0, y), across = span_of(p, 1, x);
            int64_t count = p->divisor != 0 ? p->divisor
                            : p->counts_padding
                                ? (int64_t)(down.padded * across.padded)
                                : (int64_t)((down.end - down.first) * (across.end - across.first));
            SL_NUMBER sum = 0;
            for (size_t i = down.first; i < down.end; i++)
                for (size_t k = across.first; k < across.end; k++)
                    sum = SL_TYPED(add)(sum, in[i * p->in[1] + k]);
            *out++ = count != 0 ? SL_TYPED(part)(sum, count) : 0;
        }
}

/* Sums are in single precision, whatever the type. */
static void SL_TYPED(adaptive_plane)(const struct planes *p, const SL_NUMBER *in, SL_NUMBER *out)
{
    for (size_t y = 0; y < p->out[0]; y++)
        for (size_t x = 0; x < p->out[1]; x++) {
            const struct span down = adapted(p, 0, y), across = adapted(p, 1, x);
            float sum = 0.0f;
            for (size_t i = down.first; i < down.end; i++)
                for (size_t k = across.first; k < across.end; k++)
                    sum = (float)((SL_REAL)sum + (SL_REAL)in[i * p->in[1] + k]);
            *out++ = SL_TYPED(whole)(
                sum / (float)((down.end - down.first) * (across.end - across.first)));
        }
}

static void SL_TYPED(bilinear_plane)(const struct planes *p, const SL_NUMBER *in, SL_NUMBER *out)
{
    for (size_t y = 0; y < p->out[0]; y++) {
        const struct blend down = blend_of(p, 0, y);
        const SL_NUMBER *above = in + down.first * p->in[1], *below = in + down.last * p->in[1];
        for (size_t x = 0; x < p->out[1]; x++) {
            const struct blend b = blend_of(p, 1, x);
            SL_REAL before = (SL_REAL)b.before, after = (SL_REAL)b.after;
            SL_REAL top = (SL_REAL)above[b.first] * before,
                    bottom = (SL_REAL)below[b.first] * before;
            SL_REAL top_right = (SL_REAL)above[b.last] * after;
            SL_REAL bottom_right = (SL_REAL)below[b.last] * after;
            top = (top + top_right) * (SL_REAL)down.before;
            bottom = (bottom + bottom_right) * (SL_REAL)down.after;
            *out++ = SL_TYPED(whole)(top + bottom);
        }
    }
}

static void SL_TYPED(nearest_plane)(const struct planes *p, const SL_NUMBER *in, SL_NUMBER *out)
{
    for (size_t y = 0; y < p->out[0]; y++)
        for (size_t x = 0; x < p->out[1]; x++)
            *out++ = in[nearest(p, 0, y) * p->in[1] + nearest(p, 1, x)];
}

/* Each output pixel is the mean of all that it covers, with weights that fall off linearly. */
static void SL_TYPED(smooth_plane)(const struct planes *p, const SL_NUMBER *in, SL_NUMBER *out)
{
    for (size_t y = 0; y < p->out[0]; y++) {
        const struct cover down = cover_of(p, 0, y);
        for (size_t x = 0; x < p->out[1]; x++) {
            const struct cover across = cover_of(p, 1, x);
            SL_NUMBER sum = 0;
            for (size_t i = down.first; i < down.end; i++)
                for (size_t k = across.first; k < across.end; k++) {
                    SL_REAL scaled = (SL_REAL)in[i * p->in[1] + k] * (SL_REAL)share(&down, i);
                    scaled *= (SL_REAL)share(&across, k);
                    sum = SL_TYPED(whole)((SL_REAL)sum + scaled);
                }
            *out++ = sum;
        }
    }
}

static void SL_TYPED(run)(struct sl_op_call *call)
{
    typedef void (*plane_fn)(const struct planes *p, const SL_NUMBER *in, SL_NUMBER *out);
    static const plane_fn plane[] = {
        [MEAN] = SL_TYPED(mean_plane),         [ADAPTIVE] = SL_TYPED(adaptive_plane),
        [BILINEAR] = SL_TYPED(bilinear_plane), [NEAREST] = SL_TYPED(nearest_plane),
        [SMOOTH] = SL_TYPED(smooth_plane),
    };
    const struct planes *p = call->state;
    const SL_NUMBER *in = sl_exact_read(call, &p->exact, IN);
    SL_NUMBER *out = sl_exact_array(call, &p->exact, OUT);
    int64_t *index = sl_exact_array(call, &p->index, OUT);
    size_t from = p->in[0] * p->in[1], to = p->out[0] * p->out[1];
    for (size_t i = 0; i < p->count; i++)
        if (index)
            SL_TYPED(max_plane)(p, in + i * from, out + i * to, index + i * to);
        else
            plane[p->kind](p, in + i * from, out + i * to);
    sl_exact_write(call, &p->exact, OUT);
    sl_exact_write(call, &p->index, OUT);
}

#undef SL_NUMBER
#undef SL_REAL
#undef SL_TYPED
