/* Inverse dynamics of many states at once, for the referee: recursive Newton-Euler in the frames of
   the joints, eight states side by side. Joint i turns about, or slides along, z of its frame,
   which stands at a fixed turn R and place p in the frame before it.

   Numbers are joint by joint, state by state: q[i * m + k]; `fixed` has 23 numbers a joint: R row by
   row, p, 1 if it slides, mass, first moments, and the inertia about the joint's origin (xx, yy, zz,
   xy, xz, yz). Of the last link mass, moments and inertia are those of `last`, state by state. */

#include <stdint.h>

#define LANES 8
#define MOST 10
typedef double V __attribute__((vector_size(8 * LANES), aligned(8)));
typedef struct { V x, y, z; } V3;

static inline V at(const double *a, int64_t place) { return *(const V *)(a + place); }

static inline V3 sum(V3 a, V3 b) { return (V3){a.x + b.x, a.y + b.y, a.z + b.z}; }

static inline V3 cross(V3 a, V3 b) {
    return (V3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline V3 constant(const double *a) {
    const V zero = {0};
    return (V3){zero + a[0], zero + a[1], zero + a[2]};
}

/* R a */
static inline V3 outward(const double *R, V3 a) {
    return (V3){R[0] * a.x + R[1] * a.y + R[2] * a.z, R[3] * a.x + R[4] * a.y + R[5] * a.z,
                R[6] * a.x + R[7] * a.y + R[8] * a.z};
}

/* R^T a */
static inline V3 inward(const double *R, V3 a) {
    return (V3){R[0] * a.x + R[3] * a.y + R[6] * a.z, R[1] * a.x + R[4] * a.y + R[7] * a.z,
                R[2] * a.x + R[5] * a.y + R[8] * a.z};
}

/* the vector in a frame that is turned about z by the angle of this cosine and sine */
static inline V3 spun(V c, V s, V3 a) { return (V3){c * a.x + s * a.y, c * a.y - s * a.x, a.z}; }

/* torques[i * m + k] of states; `wrench` is 6 x m, exerted on the environment at the tool's point,
   which is at `tip` in the last joint's frame; `gravity` in the base; m is a multiple of eight */
void inverse_dynamics(int64_t n, int64_t m, const double *fixed, const double *tip,
                      const double *gravity, const double *last, const double *wrench,
                      const double *q, const double *cosine, const double *sine, const double *qd,
                      const double *qdd, double *torques) {
    for (int64_t k = 0; k < m; k += LANES) {
        const V zero = {0};
        V3 force[MOST], moment[MOST], place[MOST];
        V3 w = {zero, zero, zero}, dw = w, a = {zero - gravity[0], zero - gravity[1], zero - gravity[2]};
        V3 push = {at(wrench, k), at(wrench, m + k), at(wrench, 2 * m + k)};
        V3 turn = {at(wrench, 3 * m + k), at(wrench, 4 * m + k), at(wrench, 5 * m + k)};
        for (int64_t i = 0; i < n; i++) {
            const double *f = fixed + 23 * i;
            const V rate = at(qd, i * m + k), more = at(qdd, i * m + k);
            const V c = at(cosine, i * m + k), s = at(sine, i * m + k);
            place[i] = constant(f + 9);
            if (f[12] != 0) {
                const V out = at(q, i * m + k);
                place[i] = sum(place[i], (V3){out * f[2], out * f[5], out * f[8]});
            }
            a = inward(f, sum(a, sum(cross(dw, place[i]), cross(w, cross(w, place[i])))));
            w = inward(f, w), dw = inward(f, dw);
            push = inward(f, push), turn = inward(f, turn);
            if (f[12] != 0) { /* the acceleration along z, and Coriolis' */
                a = sum(a, (V3){2 * w.y * rate, -2 * w.x * rate, more});
            } else {
                a = spun(c, s, a), w = spun(c, s, w), dw = spun(c, s, dw);
                push = spun(c, s, push), turn = spun(c, s, turn);
                dw = sum(dw, (V3){w.y * rate, -w.x * rate, more});
                w.z += rate;
            }
            V b[10];
            for (int64_t j = 0; j < 10; j++)
                b[j] = i == n - 1 ? at(last, j * m + k) : zero + f[13 + j];
            const V3 h = {b[1], b[2], b[3]};
            const V3 mass = {b[0] * a.x, b[0] * a.y, b[0] * a.z};
            force[i] = sum(mass, sum(cross(dw, h), cross(w, cross(w, h))));
            const V3 L = {b[4] * w.x + b[7] * w.y + b[8] * w.z, b[7] * w.x + b[5] * w.y + b[9] * w.z,
                          b[8] * w.x + b[9] * w.y + b[6] * w.z};
            const V3 dL = {b[4] * dw.x + b[7] * dw.y + b[8] * dw.z,
                           b[7] * dw.x + b[5] * dw.y + b[9] * dw.z,
                           b[8] * dw.x + b[9] * dw.y + b[6] * dw.z};
            moment[i] = sum(dL, sum(cross(w, L), cross(h, a)));
        }
        force[n - 1] = sum(force[n - 1], push);
        moment[n - 1] = sum(moment[n - 1], sum(turn, cross(constant(tip), push)));
        for (int64_t i = n - 1; i >= 0; i--) {
            const double *f = fixed + 23 * i;
            *(V *)(torques + i * m + k) = f[12] != 0 ? force[i].z : moment[i].z;
            if (i == 0) break;
            V3 F = force[i], M = moment[i];
            if (f[12] == 0) {
                const V c = at(cosine, i * m + k), s = zero - at(sine, i * m + k);
                F = spun(c, s, F), M = spun(c, s, M);
            }
            F = outward(f, F), M = outward(f, M);
            force[i - 1] = sum(force[i - 1], F);
            moment[i - 1] = sum(moment[i - 1], sum(M, cross(place[i], F)));
        }
    }
}
