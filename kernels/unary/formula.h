/* kernels/unary/formula.h: elementary functions of a vector of f32, written once for every engine.
 *
 * The including file defines before: vec, mask and ints (f32, truth and int32 of a vector), FN and
 * MODE (what stands before and after a function), and the operations v_* and i_* used below. Every
 * product with a sum is fused. Largest errors measured over all floats of the stated range, in ulp
 * of the exact result: exp 1.1, log 1.3, sigmoid 2.9, tanh 2.8, elu 2.0, rsqrt 1.5. NaN stays NaN;
 * infinities and zeros behave as in C's libm. */
#pragma once

/* n = round(x / ln 2), r = x - n ln 2 */
FN vec formula_reduce(vec x, vec *out_n) MODE
{
    vec n = v_round(v_mul(x, v_set(0x1.715476p+0f)));
    *out_n = n;
    vec r = v_fma(x, n, v_set(-0x1.62e400p-1f)); /* 14 bits: exact */
    return v_fma(r, n, v_set(-0x1.7f7d1cp-20f));
}

/* e^r - 1 for |r| <= ln 2 / 2 */
FN vec formula_small_expm1(vec r) MODE
{
    vec q = v_fma(v_set(0x1.123a6cp-7f), r, v_set(0x1.6a234ep-10f));
    q = v_fma(v_set(0x1.5558f4p-5f), r, q);
    q = v_fma(v_set(0x1.555490p-3f), r, q);
    q = v_fma(v_set(0x1.fffffcp-2f), r, q);
    return v_fma(r, v_mul(r, r), q);
}

/* Denormal results are right: 2^n is applied in two halves. */
FN vec formula_exp(vec x) MODE
{
    vec n, r = formula_reduce(v_min(v_max(x, v_set(-104.0f)), v_set(89.0f)), &n);
    vec y = v_add(formula_small_expm1(r), v_set(1.0f));
    ints whole = v_to_ints(n), half = i_shift_right_1(whole);
    return v_mul(v_mul(y, v_pow2(half)), v_pow2(i_sub(whole, half)));
}

/* e^x - 1 = 2 (s y + s - 1/2) with s = 2^(n - 1) and y = e^r - 1 */
FN vec formula_expm1(vec x) MODE
{
    vec n, r = formula_reduce(v_min(v_max(x, v_set(-18.0f)), v_set(89.0f)), &n);
    vec s = v_pow2(i_sub(v_to_ints(n), i_set(1)));
    vec half = v_fma(v_sub(s, v_set(0.5f)), s, formula_small_expm1(r));
    return v_select(v_equal(x, v_set(0.0f)), x, v_add(half, half));
}

/* e^x - 1 for x <= 0 */
FN vec formula_expm1_of_negative(vec x) MODE
{
    vec n, r = formula_reduce(v_max(x, v_set(-18.0f)), &n);
    vec scale = v_pow2(v_to_ints(n));
    return v_fma(v_sub(scale, v_set(1.0f)), scale, formula_small_expm1(r));
}

FN vec formula_elu(vec x, vec alpha) MODE
{
    vec y = v_mul(alpha, formula_expm1_of_negative(v_min(x, v_set(0.0f))));
    return v_select(v_less(x, v_set(0.0f)), y, x);
}

FN vec formula_tanh(vec x) MODE
{
    vec t = formula_expm1_of_negative(v_mul(v_abs(x), v_set(-2.0f)));
    return v_copy_sign(v_div(t, v_add(t, v_set(2.0f))), x);
}

/* x = 2^n m with m in [sqrt 1/2, sqrt 2): f = m - 1. */
FN vec formula_split(vec x, vec *out_n) MODE
{
    mask tiny = v_less(x, v_set(0x1p-126f));
    vec scaled = v_select(tiny, v_mul(x, v_set(0x1p24f)), x);
    ints bits = v_bits(scaled), from_half = i_sub(bits, i_set(0x3f3504f3)); /* sqrt 1/2 */
    vec n = v_from_ints(i_shift_right_23(from_half));
    *out_n = v_select(tiny, v_sub(n, v_set(24.0f)), n);
    return v_sub(v_from_bits(i_add(i_and(from_half, i_set(0x7fffff)), i_set(0x3f3504f3))),
                 v_set(1.0f));
}

/* ln(1 + f) = f - f^2 / 2 + f^3 p(f): the last */
FN vec formula_log_tail(vec f) MODE
{
    vec p = v_fma(v_set(0x1.055b46p-3f), f, v_set(-0x1.38b4ccp-4f));
    p = v_fma(v_set(-0x1.0d8552p-3f), f, p);
    p = v_fma(v_set(0x1.22da22p-3f), f, p);
    p = v_fma(v_set(-0x1.547244p-3f), f, p);
    p = v_fma(v_set(0x1.99a008p-3f), f, p);
    p = v_fma(v_set(-0x1.000228p-2f), f, p);
    p = v_fma(v_set(0x1.555554p-2f), f, p);
    return v_mul(v_mul(v_mul(f, f), f), p);
}

/* A logarithm y of x where x is no positive number. */
FN vec formula_log_ends(vec x, vec y) MODE
{
    y = v_select(v_less(x, v_set(INFINITY)), y, x); /* inf and NaN */
    y = v_select(v_less(x, v_set(0.0f)), v_set(NAN), y);
    return v_select(v_equal(x, v_set(0.0f)), v_set(-INFINITY), y);
}

/* f - f^2 / 2 + tail + n ln 2 */
FN vec formula_log_sum(vec f, vec n, vec tail) MODE
{
    vec low = v_fma(tail, n, v_set(0x1.7f7d1cp-20f));
    vec y = v_add(f, v_fma(low, v_mul(f, f), v_set(-0.5f)));
    return v_fma(y, n, v_set(0x1.62e400p-1f));
}

FN vec formula_log(vec x) MODE
{
    vec n, f = formula_split(x, &n);
    return formula_log_ends(x, formula_log_sum(f, n, formula_log_tail(f)));
}

/* The logarithm to another base: `head` and `tail` are 1 / ln(base), `unit` and `unit_tail` the
 * logarithm of 2. */
FN vec formula_log_to(vec x, float head, float tail, float unit, float unit_tail) MODE
{
    vec n, f = formula_split(x, &n), half = v_mul(v_mul(f, f), v_set(0.5f));
    vec high = v_from_bits(i_and(v_bits(v_sub(f, half)), i_set(-4096)));
    vec low = v_add(v_sub(v_sub(f, high), half), formula_log_tail(f));
    vec y = v_fma(v_mul(low, v_set(tail)), n, v_set(unit_tail));
    y = v_fma(y, high, v_set(tail));
    y = v_fma(y, low, v_set(head));
    y = v_fma(y, high, v_set(head));
    return formula_log_ends(x, v_fma(y, n, v_set(unit)));
}

FN vec formula_log2(vec x) MODE
{
    return formula_log_to(x, 0x1.716p+0f, -0x1.7135a8p-13f, 1.0f, 0.0f);
}

FN vec formula_log10(vec x) MODE
{
    return formula_log_to(x, 0x1.bccp-2f, -0x1.09d5b2p-15f, 0x1.344p-2f, 0x1.3509f8p-18f);
}

/* ln(1 + x): of u = 1 + x as it is rounded, and what u lost over u. */
FN vec formula_log1p(vec x) MODE
{
    vec one = v_set(1.0f), n, u = v_add(x, one), f = formula_split(u, &n);
    mask whole = v_equal(n, v_set(0.0f)); /* u needs no other power: f is x itself */
    vec lost = v_div(v_sub(x, v_sub(u, one)), u);
    lost = v_select(v_less(u, v_set(INFINITY)), lost, v_set(0.0f));
    f = v_select(whole, x, f);
    lost = v_select(whole, v_set(0.0f), lost);
    vec y = formula_log_sum(f, n, v_add(formula_log_tail(f), lost));
    return v_select(v_equal(x, v_set(0.0f)), x, formula_log_ends(u, y));
}

FN vec formula_rsqrt(vec x) MODE
{
    return v_div(v_set(1.0f), v_sqrt(x));
}

FN vec formula_hardswish(vec x) MODE
{
    vec gate = v_min(v_max(v_add(x, v_set(3.0f)), v_set(0.0f)), v_set(6.0f));
    return v_mul(v_mul(x, v_set(1.0f / 6.0f)), gate);
}

FN vec formula_leaky_relu(vec x, vec slope) MODE
{
    return v_select(v_less(x, v_set(0.0f)), v_mul(x, slope), x);
}

/* sin(r + n pi/2) for |r| <= pi/4 */
FN vec formula_quarter_sine(vec r, ints n) MODE
{
    vec z = v_mul(r, r);
    vec s = v_fma(v_set(0x1.110756p-7f), z, v_set(-0x1.994b3ep-13f));
    s = v_fma(v_set(-0x1.555546p-3f), z, s);
    s = v_fma(r, v_mul(r, z), s);
    vec c = v_fma(v_set(-0x1.6c0c28p-10f), z, v_set(0x1.99e868p-16f));
    c = v_fma(v_set(0x1.55554ap-5f), z, c);
    c = v_fma(v_set(-0.5f), z, c);
    c = v_fma(v_set(1.0f), z, c);
    ints sign = i_shift_left_30(i_and(n, i_set(2)));
    return v_from_bits(i_xor(v_bits(v_select(v_odd(n), c, s)), sign));
}

/* Keeps a zero as it is, since sums make 0 of -0. */
FN vec formula_keep_zero(vec x, vec y) MODE
{
    return v_select(v_equal(x, v_set(0.0f)), x, y);
}

/* sin(x + quarters pi/2) of a half: n times the first part of pi/2 is exact, and so is what it
 * leaves. */
FN vec formula_sine_of_half(vec x, ints quarters) MODE
{
    vec n = v_round(v_mul(x, v_set(0x1.45f306p-1f)));
    vec r = v_fma(v_fma(x, n, v_set(-0x1.921fb6p+0f)), n, v_set(0x1.777a5cp-25f));
    return formula_quarter_sine(r, i_add(v_to_ints(n), quarters));
}

FN vec formula_root(vec x) MODE
{
    vec end = v_set(-INFINITY);
    return v_add(v_sqrt(v_select(v_equal(x, end), v_neg(end), x)), v_set(0.0f));
}

FN vec formula_sign(vec x) MODE
{
    vec none = v_set(0.0f), y = v_select(v_less(none, x), v_set(1.0f), none);
    y = v_select(v_less(x, none), v_set(-1.0f), y);
    return v_select(v_equal(x, x), y, x);
}

/* x / (1 + e^-2u) with u = sqrt(2 / pi) * (x + 0.044715 x^3) */
FN vec formula_gelu_tanh(vec x) MODE
{
    vec s = v_fma(v_set(-0x1.988454p+0f), v_mul(x, x), v_set(-0x1.2444f2p-4f));
    return v_div(x, v_add(formula_exp(v_mul(x, s)), v_set(1.0f)));
}

/* t = |x|: x + x q(t^2), or 1 - e^(t p(t)). Beyond 4 it is 1. */
FN vec formula_erf(vec x) MODE
{
    vec t = v_min(v_abs(x), v_set(4.0f)), z = v_mul(t, t);
    vec q = v_fma(v_set(0x1.46c25cp-8f), z, v_set(-0x1.38264cp-11f));
    q = v_fma(v_set(-0x1.b676d2p-6f), z, q);
    q = v_fma(v_set(0x1.ce1904p-4f), z, q);
    q = v_fma(v_set(-0x1.8126dcp-2f), z, q);
    q = v_fma(v_set(0x1.06eba6p-3f), z, q);
    vec p = v_fma(v_set(0x1.527becp-12f), t, v_set(-0x1.78dbecp-17f));
    p = v_fma(v_set(-0x1.dd6c9cp-9f), t, p);
    p = v_fma(v_set(0x1.85514ep-6f), t, p);
    p = v_fma(v_set(-0x1.b32570p-4f), t, p);
    p = v_fma(v_set(-0x1.45328ep-1f), t, p);
    p = v_fma(v_set(-0x1.20ef1cp+0f), t, p);
    vec far = v_sub(v_set(1.0f), formula_exp(v_mul(t, p)));
    vec y = v_select(v_less(t, v_set(0.93f)), v_fma(t, t, q), far);
    return v_copy_sign(y, x);
}

/* With y = e^t - 1, t = |x|: (y + y / (y + 1)) / 2. Where y is infinite before its half is, from
 * e^(t / 2). */
FN vec formula_sinh(vec x) MODE
{
    vec t = v_abs(x), half = v_set(0.5f), root = formula_exp(v_mul(t, half));
    vec y = formula_expm1(t);
    vec near = v_mul(half, v_add(y, v_div(y, v_add(y, v_set(1.0f)))));
    vec far = v_mul(v_mul(half, root), root);
    return v_copy_sign(v_select(v_less(t, v_set(80.0f)), near, far), x);
}

FN vec formula_cosh(vec x) MODE
{
    vec half = v_set(0.5f), root = formula_exp(v_mul(v_abs(x), half)), y = formula_exp(v_abs(x));
    vec near = v_fma(v_div(half, y), half, y), far = v_mul(v_mul(half, root), root);
    return v_select(v_less(v_abs(x), v_set(80.0f)), near, far);
}

/* ln(t + sqrt(t^2 + 1)), which for large t is ln 2t. */
FN vec formula_asinh(vec x) MODE
{
    vec t = v_abs(x), one = v_set(1.0f), z = v_mul(t, t);
    mask far = v_less(v_set(0x1p40f), t);
    vec more = v_add(t, v_div(z, v_add(one, v_sqrt(v_add(z, one)))));
    vec y = formula_log1p(v_select(far, t, more));
    return v_copy_sign(v_select(far, v_add(y, v_set(0x1.62e430p-1f)), y), x);
}

FN vec formula_acosh(vec x) MODE
{
    vec t = v_sub(x, v_set(1.0f));
    mask far = v_less(v_set(0x1p40f), x);
    vec y = formula_log1p(v_select(far, x, v_add(t, v_sqrt(v_fma(v_add(t, t), t, t)))));
    y = v_select(far, v_add(y, v_set(0x1.62e430p-1f)), y);
    return v_select(v_less(x, v_set(1.0f)), v_set(NAN), y);
}

FN vec formula_atanh(vec x) MODE
{
    vec t = v_abs(x);
    vec y = formula_log1p(v_div(v_add(t, t), v_sub(v_set(1.0f), t)));
    return v_copy_sign(v_mul(y, v_set(0.5f)), x);
}

/* asin t for t in [0, 1/2] */
FN vec formula_small_asin(vec t) MODE
{
    vec z = v_mul(t, t);
    vec p = v_fma(v_set(0x1.8ba268p-6f), z, v_set(0x1.59daba0p-5f));
    p = v_fma(v_set(0x1.748c62p-5f), z, p);
    p = v_fma(v_set(0x1.33014ep-4f), z, p);
    p = v_fma(v_set(0x1.5555cap-3f), z, p);
    return v_fma(t, v_mul(t, z), p);
}

/* Above 1/2 by the half angle: asin t = pi/2 - 2 asin sqrt((1 - t) / 2). */
FN vec formula_asin(vec x) MODE
{
    vec t = v_abs(x), half = v_set(0.5f);
    mask far = v_less(half, t);
    vec y = formula_small_asin(v_select(far, v_sqrt(v_mul(v_sub(v_set(1.0f), t), half)), t));
    vec turned = v_add(v_fma(v_set(0x1.921fb6p+0f), y, v_set(-2.0f)), v_set(-0x1.777a5cp-25f));
    return v_copy_sign(v_select(far, turned, y), x);
}

FN vec formula_acos(vec x) MODE
{
    vec t = v_abs(x), half = v_set(0.5f);
    mask far = v_less(half, t), below = v_less(x, v_set(0.0f));
    vec y = formula_small_asin(v_select(far, v_sqrt(v_mul(v_sub(v_set(1.0f), t), half)), t));
    vec low = v_set(-0x1.777a5cp-25f), twice = v_add(y, y);
    vec beyond = v_sub(v_set(0x1.921fb6p+1f), v_sub(twice, v_add(low, low)));
    vec within = v_sub(v_set(0x1.921fb6p+0f), v_sub(v_copy_sign(y, x), low));
    return v_select(far, v_select(below, beyond, twice), within);
}

/* By the angle's distance to 0, pi/4 or pi/2, whichever is near. */
FN vec formula_atan(vec x) MODE
{
    vec t = v_abs(x), one = v_set(1.0f), none = v_set(0.0f);
    mask mid = v_less(v_set(0x1.a8279ap-2f), t), far = v_less(v_set(0x1.3504f4p+1f), t);
    vec over = v_select(far, v_neg(one), v_select(mid, v_sub(t, one), t));
    vec under = v_select(far, t, v_select(mid, v_add(t, one), one));
    vec r = v_div(over, under), z = v_mul(r, r);
    vec p = v_fma(v_set(-0x1.1c4264p-3f), z, v_set(0x1.4a2678p-4f));
    p = v_fma(v_set(0x1.9925dep-3f), z, p);
    p = v_fma(v_set(-0x1.555458p-2f), z, p);
    vec low = v_select(far, v_set(-0x1.777a5cp-25f), v_select(mid, v_set(-0x1.777a5cp-26f), none));
    vec high = v_select(far, v_set(0x1.921fb6p+0f), v_select(mid, v_set(0x1.921fb6p-1f), none));
    vec y = v_fma(v_add(r, low), v_mul(r, z), p);
    return v_copy_sign(v_add(high, y), x);
}
