/* agent/runtime/ops/sample_typed.h: reading planes at places between pixels, places of SL_REAL. */

/* A coordinate in [-1, 1] as pixels; each step rounds as the operands' own type does. */
static SL_REAL SL_TYPED(unscale)(const struct sampler *s, SL_REAL at, size_t size)
{
    SL_REAL count = SL_KEEP(s, (SL_REAL)size);
    at = SL_KEEP(s, at + 1);
    if (s->aligns)
        return SL_KEEP(s, SL_KEEP(s, at / 2) * SL_KEEP(s, (SL_REAL)size - 1));
    return SL_KEEP(s, SL_KEEP(s, SL_KEEP(s, at * count) - 1) / 2);
}

/* Held inside the plane; a NaN is its end. */
static SL_REAL SL_TYPED(clip)(SL_REAL at, size_t size)
{
    SL_REAL low = at < 0 ? 0 : at, most = (SL_REAL)size - 1;
    return low < most ? low : most;
}

static SL_REAL SL_TYPED(reflect)(const struct sampler *s, SL_REAL at, size_t size)
{
    SL_REAL low = s->aligns ? 0 : (SL_REAL)-0.5;
    SL_REAL span = (SL_REAL)size - (s->aligns ? 1 : 0);
    if (span <= 0)
        return 0;
    at = SL_KEEP(s, at - low);
    at = at < 0 ? -at : at;
    SL_REAL flips = SL_FUNCTION(floor)(SL_KEEP(s, at / span));
    SL_REAL extra = SL_FUNCTION(fmod)(at, span);
    bool even = SL_FUNCTION(fmod)(flips, 2) == 0;
    return SL_KEEP(s, (even ? extra : SL_KEEP(s, span - extra)) + low);
}

/* Returns the place that a coordinate reads, padding applied. */
static SL_REAL SL_TYPED(place)(const struct sampler *s, SL_REAL at, size_t size)
{
    at = SL_TYPED(unscale)(s, at, size);
    if (s->padding == REFLECTION)
        at = SL_TYPED(reflect)(s, at, size);
    return s->padding == ZEROS ? at : SL_TYPED(clip)(at, size);
}

/* The pixel at a whole place, or what padding puts there. */
static SL_REAL SL_TYPED(pixel)(const struct sampler *s, const double *in, int64_t y, int64_t x)
{
    if (s->padding == ZEROS && (!is_inside(y, s->in[0]) || !is_inside(x, s->in[1])))
        return 0;
    if (s->padding == REFLECTION && s->mode == CUBIC) {
        y = whole((double)SL_TYPED(reflect)(s, (SL_REAL)y, s->in[0]));
        x = whole((double)SL_TYPED(reflect)(s, (SL_REAL)x, s->in[1]));
    }
    size_t row = clip_whole(y, s->in[0]), column = clip_whole(x, s->in[1]);
    return (SL_REAL)in[row * s->in[1] + column];
}

static SL_REAL SL_TYPED(linear)(const struct sampler *s, const double *in, SL_REAL y, SL_REAL x)
{
    int64_t top = whole(floor((double)y)), left = whole(floor((double)x));
    SL_REAL down = y - (SL_REAL)top, across = x - (SL_REAL)left;
    SL_REAL up = (SL_REAL)(top + 1) - y, back = (SL_REAL)(left + 1) - x;
    if (s->padding == ZEROS &&
        (!is_inside(top + 1, s->in[0] + 1) || !is_inside(left + 1, s->in[1] + 1)))
        return 0; /* nothing near: a place that is not a number weighs nothing */
    return SL_TYPED(pixel)(s, in, top, left) * (back * up) +
           SL_TYPED(pixel)(s, in, top, left + 1) * (across * up) +
           SL_TYPED(pixel)(s, in, top + 1, left) * (back * down) +
           SL_TYPED(pixel)(s, in, top + 1, left + 1) * (across * down);
}

/* Weighs the four pixels round a place that is `t` behind the second. */
static void SL_TYPED(weigh)(const struct sampler *s, SL_REAL t, SL_REAL *out)
{
    const SL_REAL a = (SL_REAL)-0.75, back = SL_KEEP(s, 1 - t);
    const SL_REAL far[2] = {SL_KEEP(s, t + 1), SL_KEEP(s, back + 1)}, near[2] = {t, back};
    for (int i = 0; i < 2; i++) {
        SL_REAL x = far[i], sum = SL_KEEP(s, SL_KEEP(s, a * x) - 5 * a);
        sum = SL_KEEP(s, SL_KEEP(s, sum * x) + 8 * a);
        out[i == 0 ? 0 : 3] = SL_KEEP(s, SL_KEEP(s, sum * x) - 4 * a);
        x = near[i];
        sum = SL_KEEP(s, SL_KEEP(s, (a + 2) * x) - (a + 3));
        out[1 + i] = SL_KEEP(s, SL_KEEP(s, SL_KEEP(s, sum * x) * x) + 1);
    }
}

static SL_REAL SL_TYPED(cubic)(const struct sampler *s, const double *in, SL_REAL y, SL_REAL x)
{
    int64_t top = whole(floor((double)y)), left = whole(floor((double)x));
    SL_REAL down[4], across[4], sum = 0;
    SL_TYPED(weigh)(s, SL_KEEP(s, y - SL_KEEP(s, (SL_REAL)top)), down);
    SL_TYPED(weigh)(s, SL_KEEP(s, x - SL_KEEP(s, (SL_REAL)left)), across);
    for (int i = 0; i < 4; i++) {
        SL_REAL row = 0;
        for (int k = 0; k < 4; k++) {
            SL_REAL pixel = SL_TYPED(pixel)(s, in, top - 1 + i, left - 1 + k);
            row = SL_KEEP(s, row + SL_KEEP(s, pixel * across[k]));
        }
        sum = SL_KEEP(s, sum + SL_KEEP(s, row * down[i]));
    }
    return sum;
}

/* One image: every channel of it at the places of its grid, pairs of x and y. */
static void SL_TYPED(image)(const struct sampler *s, const double *in, const double *grid,
                            double *out)
{
    size_t area = s->in[0] * s->in[1], places = s->out[0] * s->out[1];
    for (size_t i = 0; i < places; i++) {
        SL_REAL x = (SL_REAL)grid[2 * i], y = (SL_REAL)grid[2 * i + 1];
        x = s->mode == CUBIC ? SL_TYPED(unscale)(s, x, s->in[1]) : SL_TYPED(place)(s, x, s->in[1]);
        y = s->mode == CUBIC ? SL_TYPED(unscale)(s, y, s->in[0]) : SL_TYPED(place)(s, y, s->in[0]);
        for (size_t c = 0; c < s->channels; c++) {
            const double *plane = in + c * area;
            SL_REAL value = s->mode == CUBIC    ? SL_TYPED(cubic)(s, plane, y, x)
                            : s->mode == LINEAR ? SL_TYPED(linear)(s, plane, y, x)
                                                : SL_TYPED(pixel)(s, plane, whole(rint((double)y)),
                                                                  whole(rint((double)x)));
            out[c * places + i] = (double)value;
        }
    }
}

#undef SL_REAL
#undef SL_TYPED
#undef SL_KEEP
#undef SL_FUNCTION
