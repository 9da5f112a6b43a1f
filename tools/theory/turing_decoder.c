// SPDX-License-Identifier: MIT
// The compiler, field by field and layer by layer, and the decoder that runs its weights in a given arithmetic.
#include "tools/theory/turing_decoder.h"

#include "base/log.h"
#include "base/memory.h"
#include "tools/theory/product.h"

#include <gmp.h>
#include <math.h>
#include <stdlib.h>

// --- arithmetic: exact rationals through GMP; f64 and f32 from one macro --------------------------------------------

static void exact_init(void *x) {
    mpq_init(*(mpq_t *)x);
}

static void exact_clear(void *x) {
    mpq_clear(*(mpq_t *)x);
}

static void exact_set(void *x, long numerator, long denominator) {
    mpq_set_si(*(mpq_t *)x, numerator, (unsigned long)denominator);
    mpq_canonicalize(*(mpq_t *)x);
}

static void exact_copy(void *to, const void *from) {
    mpq_set(*(mpq_t *)to, *(const mpq_t *)from);
}

static void exact_add_scaled(void *sum, long numerator, long denominator, const void *x) {
    if (mpq_sgn(*(const mpq_t *)x) == 0) return;
    mpq_t scaled;
    mpq_init(scaled);
    exact_set(&scaled, numerator, denominator);
    mpq_mul(scaled, scaled, *(const mpq_t *)x);
    mpq_add(*(mpq_t *)sum, *(mpq_t *)sum, scaled);
    mpq_clear(scaled);
}

static void exact_multiply(void *out, const void *a, const void *b) {
    mpq_mul(*(mpq_t *)out, *(const mpq_t *)a, *(const mpq_t *)b);
}

static int exact_compare(const void *a, const void *b) {
    return mpq_cmp(*(const mpq_t *)a, *(const mpq_t *)b);
}

static double exact_value(const void *x) {
    return mpq_get_d(*(const mpq_t *)x);
}

const gw_arithmetic gw_exact_arithmetic = {
    "exact",    sizeof(mpq_t),    exact_init,     exact_clear,   exact_set,
    exact_copy, exact_add_scaled, exact_multiply, exact_compare, exact_value,
};

// Every operation rounds once, as the type does.
#define FLOATS(name, type)                                                                                             \
    static void name##_nothing(void *x) {                                                                              \
        (void)x;                                                                                                       \
    }                                                                                                                  \
    static void name##_set(void *x, long numerator, long denominator) {                                                \
        *(type *)x = (type)numerator / (type)denominator;                                                              \
    }                                                                                                                  \
    static void name##_copy(void *to, const void *from) {                                                              \
        *(type *)to = *(const type *)from;                                                                             \
    }                                                                                                                  \
    static void name##_add_scaled(void *sum, long numerator, long denominator, const void *x) {                        \
        *(type *)sum += (type)numerator / (type)denominator * *(const type *)x;                                        \
    }                                                                                                                  \
    static void name##_multiply(void *out, const void *a, const void *b) {                                             \
        *(type *)out = *(const type *)a * *(const type *)b;                                                            \
    }                                                                                                                  \
    static int name##_compare(const void *a, const void *b) {                                                          \
        const type x = *(const type *)a, y = *(const type *)b;                                                         \
        return (x > y) - (x < y);                                                                                      \
    }                                                                                                                  \
    static double name##_value(const void *x) {                                                                        \
        return (double)*(const type *)x;                                                                               \
    }                                                                                                                  \
    const gw_arithmetic gw_##name##_arithmetic = {                                                                     \
        #name,       sizeof(type),      name##_nothing,  name##_nothing, name##_set,                                   \
        name##_copy, name##_add_scaled, name##_multiply, name##_compare, name##_value,                                 \
    }

FLOATS(f64, double);
FLOATS(f32, float);

static void *numbers_new(const gw_arithmetic *a, int64_t count) {
    void *numbers = gw_alloc(count, (int64_t)a->size);
    for (int64_t i = 0; numbers && i < count; i++) a->init(gw_number(a, numbers, i));
    return numbers;
}

static void numbers_free(const gw_arithmetic *a, void *numbers, int64_t count) {
    for (int64_t i = 0; numbers && i < count; i++) a->clear(gw_number(a, numbers, i));
    free(numbers);
}

// --- sparse matrices of small rationals

typedef struct {
    int row, column;
    long numerator, denominator;
} weight;

typedef struct {
    int rows, columns;
    weight *weights; // in rising order of rows
    int64_t count, capacity;
    bool failed;
} matrix;

static void set(matrix *m, int row, int column, long numerator, long denominator) {
    m->failed = m->failed || gw_reserve(&m->weights, &m->capacity, m->count + 1, sizeof *m->weights) != GW_OK;
    if (m->failed) return;
    if (row >= m->rows) m->rows = row + 1;
    m->weights[m->count++] = (weight){row, column, numerator, denominator};
}

// to += M from
static void add_product(const gw_arithmetic *a, const matrix *m, void *from, void *to) {
    for (const weight *w = m->weights; w < m->weights + m->count; w++)
        a->add_scaled(gw_number(a, to, w->row), w->numerator, w->denominator, gw_number(a, from, w->column));
}

static void set_to_zero(const gw_arithmetic *a, void *numbers, int64_t count) {
    for (int64_t i = 0; i < count; i++) a->set(gw_number(a, numbers, i), 0, 1);
}

static void rectify(const gw_arithmetic *a, void *numbers, int64_t count, const void *zero) {
    for (int64_t i = 0; i < count; i++)
        if (a->compare(gw_number(a, numbers, i), zero) < 0) a->set(gw_number(a, numbers, i), 0, 1);
}

// A feed-forward net under construction: hidden units as rows of `in`, each with its outputs in `out`. Biases are
// weights of the vector's constant 1.
typedef struct {
    matrix in, out;
} net;

enum { FEATURES = 3, HEADS_KEY = FEATURES * FEATURES };

struct gw_decoder {
    gw_machine machine;
    int q, s, c, q2, v, c2, alpha, beta, w, one, p, r, first, last, key_c, key_r, best_c, best_r, width;
    net layer[3];                             // feed-forward parts of layers 1 to 3
    matrix cross_query, query, key, value;    // attention of layer 1 to the encoder, and of layer 4
    matrix final_in, final_middle, final_out; // F: two hidden layers
    int hidden;                               // the most hidden units of a layer
};

// --- the compiler

// A hidden unit ReLU(sum of signed parts), added to `row` with a sign.
typedef struct {
    int column;
    long factor;
} part;

static void unit(net *n, const part *parts, int count, int row, long sign) {
    const int hidden = n->in.rows;
    for (int i = 0; i < count; i++) set(&n->in, hidden, parts[i].column, parts[i].factor, 1);
    set(&n->out, row, hidden, sign, 1);
}

// row += x, for x of any sign: ReLU(x) - ReLU(-x).
static void add_field(net *n, int row, int x) {
    unit(n, (part[]){{x, 1}}, 1, row, 1);
    unit(n, (part[]){{x, -1}}, 1, row, -1);
}

static void clear_field(net *n, int row) {
    unit(n, (part[]){{row, 1}}, 1, row, -1);
    unit(n, (part[]){{row, -1}}, 1, row, 1);
}

// row += to - from where the gate is 0, += 0 where it is p, for |to - from| <= 2 p.
static void add_unless(net *n, int row, int to, int from, int gate) {
    unit(n, (part[]){{to, 1}, {from, -1}, {gate, -2}}, 3, row, 1);
    unit(n, (part[]){{from, 1}, {to, -1}, {gate, -2}}, 3, row, -1);
}

// Layer 3: intermediate nodes pass on what they got. q' and c only advance at the last node of a time; v and the key
// are the own ones at the first node, the best so far at the others; alpha and beta become s and p before the last.
static void compile_switch(gw_decoder *d) {
    const gw_machine *m = &d->machine;
    net *n = &d->layer[2];
    for (int q = 0; q < m->states; q++) add_unless(n, d->q2 + q, d->q + q, d->q2 + q, d->last);
    add_field(n, d->c, d->c2); // c += (c' - c) - (c' - c where not last)
    clear_field(n, d->c);
    add_unless(n, d->c, d->c, d->c2, d->last);
    for (int s = 0; s < m->symbols; s++) {
        add_unless(n, d->v + s, d->w + s, d->v + s, d->first);
        add_unless(n, d->alpha + s, d->s + s, d->alpha + s, d->last);
    }
    add_unless(n, d->beta, d->p, d->beta, d->last);
    add_field(n, d->key_c, d->c);
    add_unless(n, d->key_c, d->best_c, d->c, d->first);
    add_field(n, d->key_r, d->r);
    add_unless(n, d->key_r, d->best_r, d->r, d->first);
    for (int q = 0; q < m->states; q++) clear_field(n, d->q + q);
    for (int s = 0; s < m->symbols; s++) {
        clear_field(n, d->s + s);
        clear_field(n, d->w + s);
    }
    clear_field(n, d->best_c);
    clear_field(n, d->best_r);
}

// Layer 4: score -<(c', 1, 1/3), (1, -key c, key 1/p)>^2 = -(c' - key c + 1/(3 p))^2 is largest for the last visit of
// cell c', and for any other cell smaller than for that.
static void compile_look_up(gw_decoder *d) {
    const int symbols = d->machine.symbols;
    set(&d->query, 0, d->c2, 1, 1);
    set(&d->query, 1, d->one, 1, 1);
    set(&d->query, 2, d->one, 1, 3);
    set(&d->key, 0, d->one, 1, 1);
    set(&d->key, 1, d->key_c, -1, 1);
    set(&d->key, 2, d->key_r, 1, 1);
    for (int s = 0; s < symbols; s++) set(&d->value, s, d->v + s, 1, 1);
    set(&d->value, symbols, d->key_c, 1, 1);
    set(&d->value, symbols + 1, d->key_r, 1, 1);
}

// F: the next node's input. The symbol is alpha where beta = p, else w where the best cell is c', else the blank.
// Hidden: e1 = ReLU(1 - p + beta); e2 = ReLU(x + 1) - 2 ReLU(x) + ReLU(x - 1), x = best c - c', is 1 where x = 0; then
// ReLU(alpha + e1 - 1), ReLU(w + e2 - e1 - 1) and, for the blank, ReLU(1 - e1 - e2). Everything else passes through.
static void compile_final(gw_decoder *d) {
    const int symbols = d->machine.symbols, states = d->machine.states;
    matrix *in = &d->final_in, *middle = &d->final_middle, *out = &d->final_out;
    enum { E1, ABOVE, AT, BELOW, ONE };
    const part e1[] = {{d->one, 1}, {d->p, -1}, {d->beta, 1}};
    for (int i = 0; i < 3; i++) set(in, E1, e1[i].column, e1[i].factor, 1);
    for (int shift = -1; shift <= 1; shift++) {
        const int row = ABOVE + 1 - shift; // x + 1, x, x - 1
        set(in, row, d->best_c, 1, 1);
        set(in, row, d->c2, -1, 1);
        if (shift != 0) set(in, row, d->one, shift, 1);
    }
    set(in, ONE, d->one, 1, 1);
    for (int s = 0; s < symbols; s++) {
        const int alpha = in->rows, w = alpha + 1, unit_alpha = middle->rows, unit_w = unit_alpha + 1;
        set(in, alpha, d->alpha + s, 1, 1);
        set(in, w, d->w + s, 1, 1);
        set(middle, unit_alpha, alpha, 1, 1);
        set(middle, unit_alpha, E1, 1, 1);
        set(middle, unit_alpha, ONE, -1, 1);
        set(middle, unit_w, w, 1, 1);
        set(middle, unit_w, E1, -1, 1);
        set(middle, unit_w, ABOVE, 1, 1);
        set(middle, unit_w, AT, -2, 1);
        set(middle, unit_w, BELOW, 1, 1);
        set(middle, unit_w, ONE, -1, 1);
        set(out, d->s + s, unit_alpha, 1, 1);
        set(out, d->s + s, unit_w, 1, 1);
    }
    const int blank = middle->rows;
    const part rest[] = {{ONE, 1}, {E1, -1}, {ABOVE, -1}, {AT, 2}, {BELOW, -1}};
    for (int i = 0; i < 5; i++) set(middle, blank, rest[i].column, rest[i].factor, 1);
    set(out, d->s, blank, 1, 1);
    const part passed[] = {{d->c, d->c}, {d->best_c, d->best_c}, {d->best_r, d->best_r}};
    for (int i = 0; i < 3 + states + symbols; i++) {
        const int from = i < 3 ? passed[i].column : i < 3 + states ? d->q2 + i - 3 : d->w + i - 3 - states;
        const int to = i < 3 ? from : i < 3 + states ? d->q + i - 3 : from;
        for (int sign = 1; sign >= -1; sign -= 2) {
            const int hidden = in->rows, next = middle->rows;
            set(in, hidden, from, sign, 1);
            set(middle, next, hidden, 1, 1);
            set(out, to, next, sign, 1);
        }
    }
}

static matrix *matrix_at(gw_decoder *d, int i) {
    matrix *const matrices[] = {&d->layer[0].in,  &d->layer[0].out, &d->layer[1].in, &d->layer[1].out, &d->layer[2].in,
                                &d->layer[2].out, &d->cross_query,  &d->query,       &d->key,          &d->value,
                                &d->final_in,     &d->final_middle, &d->final_out};
    return i < (int)(sizeof matrices / sizeof matrices[0]) ? matrices[i] : NULL;
}

gw_status gw_decoder_compile(const gw_machine *machine, gw_decoder **out) {
    gw_decoder *d = *out = gw_alloc(1, sizeof *d);
    if (!d) return GW_ERR_MEMORY;
    d->machine = *machine;
    const int states = d->machine.states, symbols = d->machine.symbols;
    int *const fields[] = {&d->q,   &d->s, &d->c, &d->q2,    &d->v,    &d->c2,    &d->alpha, &d->beta,   &d->w,
                           &d->one, &d->p, &d->r, &d->first, &d->last, &d->key_c, &d->key_r, &d->best_c, &d->best_r};
    const int sizes[] = {states, symbols, 1, states, symbols, 1, symbols, 1, symbols, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        *fields[i] = d->width;
        d->width += sizes[i];
    }
    // Layer 1: attention to the encoder with score -(p - j)^2, and the transition: one hidden unit for each (q, s), 1
    // where both are there; q', v, and c' = m.
    const gw_machine *m = &d->machine;
    net *n = &d->layer[0];
    set(&d->cross_query, 0, d->p, 1, 1);
    set(&d->cross_query, 1, d->one, 1, 1);
    for (int q = 0; q < m->states; q++)
        for (int s = 0; s < m->symbols; s++) {
            const gw_transition *t = &m->table[q][s];
            if (t->halts) continue;
            const int hidden = n->in.rows;
            unit(n, (part[]){{d->q + q, 1}, {d->s + s, 1}, {d->one, -1}}, 3, d->q2 + t->next, 1);
            set(&n->out, d->v + t->write, hidden, 1, 1);
            set(&n->out, d->c2, hidden, t->move, 1);
        }
    add_field(&d->layer[1], d->c2, d->c); // layer 2: c' = m + c
    compile_switch(d);
    compile_look_up(d);
    compile_final(d);
    bool failed = false;
    for (int i = 0; matrix_at(d, i); i++) {
        failed = failed || matrix_at(d, i)->failed;
        if (matrix_at(d, i)->rows > d->hidden) d->hidden = matrix_at(d, i)->rows;
    }
    if (!failed) return GW_OK;
    gw_decoder_free(d);
    *out = NULL;
    return GW_ERR_MEMORY;
}

void gw_decoder_free(gw_decoder *d) {
    if (!d) return;
    for (int i = 0; matrix_at(d, i); i++) free(matrix_at(d, i)->weights);
    free(d);
}

int gw_decoder_width(const gw_decoder *d) {
    return d->width;
}

int64_t gw_decoder_weights(const gw_decoder *decoder) {
    int64_t count = 0;
    gw_decoder *d = (gw_decoder *)decoder; // matrix_at() reads
    for (int i = 0; matrix_at(d, i); i++) count += matrix_at(d, i)->count;
    return count;
}

// --- the decoder at work

typedef struct {
    const gw_decoder *d;
    gw_decoder_run *run;
    const gw_arithmetic *a;
    void *zero;                          // [1]
    void *y, *z, *hidden, *next;         // [width], [width], [d->hidden] each
    void *query;                         // [HEADS_KEY] squared features of the query
    void *keys, *values;                 // of all compute nodes: [times][HEADS_KEY], [times][symbols + 2]
    void *own_key, *own_value, *scratch; // of the node itself; [HEADS_KEY]
    int64_t numbers;
    void *memory;
    int values_size;
} worker;

static void *take(worker *k, int64_t count) {
    void *at = k->memory ? gw_number(k->a, k->memory, k->numbers) : NULL;
    k->numbers += count;
    return at;
}

static void place(worker *k) {
    const int64_t times = k->run->truth->steps + 2;
    k->numbers = 0;
    k->zero = take(k, 1);
    k->y = take(k, k->d->width);
    k->z = take(k, k->d->width);
    k->hidden = take(k, k->d->hidden);
    k->next = take(k, k->d->hidden);
    k->query = take(k, HEADS_KEY);
    k->own_key = take(k, HEADS_KEY);
    k->own_value = take(k, k->values_size);
    k->scratch = take(k, HEADS_KEY);
    k->keys = take(k, times * HEADS_KEY);
    k->values = take(k, times * k->values_size);
}

static void add_integer(const gw_arithmetic *a, void *numbers, int i, long numerator, long denominator, void *one) {
    a->set(one, 1, 1);
    a->add_scaled(gw_number(a, numbers, i), numerator, denominator, one);
}

// Attention to the encoder: keys (1, -j) and values (one-hot s_j, j) for j = 1 .. n, score -<query, key>^2. An empty
// input has one blank.
static void attend_to_encoder(worker *k) {
    const gw_arithmetic *a = k->a;
    const gw_decoder *d = k->d;
    const int64_t count = k->run->input_count > 0 ? k->run->input_count : 1;
    int64_t best = 0;
    void *query = k->query, *score = k->scratch, *largest = gw_number(a, k->scratch, 1);
    set_to_zero(a, query, 2);
    add_product(a, &d->cross_query, k->y, query);
    for (int64_t j = 1; j <= count; j++) {
        a->set(score, 0, 1);
        a->add_scaled(score, 1, 1, query);
        a->add_scaled(score, -(long)j, 1, gw_number(a, query, 1));
        a->multiply(score, score, score);
        if (best > 0 && a->compare(score, largest) >= 0) continue;
        a->copy(largest, score);
        best = j;
    }
    const int symbol = k->run->input_count > 0 ? k->run->input[best - 1] : 0;
    add_integer(a, k->y, d->alpha + symbol, 1, 1, k->scratch);
    add_integer(a, k->y, d->beta, (long)best, 1, k->scratch);
}

static void project(worker *k, const matrix *m, void *squares) {
    set_to_zero(k->a, k->scratch, FEATURES);
    add_product(k->a, m, k->y, k->scratch);
    // out[i][j] = x[i] x[j]: then <q, k>^2 = <squares of q, squares of k>.
    const gw_arithmetic *a = k->a;
    for (int i = 0; i < HEADS_KEY; i++)
        a->multiply(gw_number(a, squares, i), gw_number(a, k->scratch, i / FEATURES),
                    gw_number(a, k->scratch, i % FEATURES));
}

// <query, key> of squared features: what the score is the negative of.
static void distance(worker *k, void *key, void *out, void *product) {
    k->a->set(out, 0, 1);
    for (int i = 0; i < HEADS_KEY; i++) {
        k->a->multiply(product, gw_number(k->a, k->query, i), gw_number(k->a, key, i));
        k->a->add_scaled(out, 1, 1, product);
    }
}

// Whether the other node's key beats the own one.
static bool other_wins(worker *k, void *other) {
    void *own = k->scratch, *others = gw_number(k->a, k->scratch, 1);
    distance(k, k->own_key, own, gw_number(k->a, k->scratch, 2));
    distance(k, other, others, gw_number(k->a, k->scratch, 2));
    return k->a->compare(others, own) < 0;
}

// The same two keys through the product's kernel. Scores of two visits of a cell are at least 2 / (9 p^3) apart; the
// scale makes the softmax hard as far as f32 tells them apart.
static gw_status attend_by_product(worker *k, int64_t time, void *other_key, void *other_value) {
    enum { MOST = HEADS_KEY > GW_MOST_SYMBOLS + 2 ? HEADS_KEY : GW_MOST_SYMBOLS + 2 };
    float query[MOST] = {0}, key[2 * MOST] = {0}, value[2 * MOST] = {0}, out[MOST];
    for (int i = 0; i < HEADS_KEY; i++) {
        query[i] = -*(float *)gw_number(k->a, k->query, i);
        key[i] = *(float *)gw_number(k->a, k->own_key, i);
        key[MOST + i] = *(float *)gw_number(k->a, other_key, i);
    }
    for (int i = 0; i < k->values_size; i++) {
        value[i] = *(float *)gw_number(k->a, k->own_value, i);
        value[MOST + i] = *(float *)gw_number(k->a, other_value, i);
    }
    const double p = (double)time + 2;
    GW_TRY(gw_product_attention(NULL, 1, 2, MOST, (float)(600 * p * p * p), query, key, value, out));
    for (int i = 0; i < k->values_size; i++) *(float *)gw_number(k->a, k->own_value, i) = out[i];
    return GW_OK;
}

// Layer 4 for node (time, place): leaves the best value in w, best c and best 1/p.
static gw_status look_up(worker *k, int64_t time, int64_t place_in_time) {
    const gw_arithmetic *a = k->a;
    const gw_decoder *d = k->d;
    project(k, &d->query, k->query);
    project(k, &d->key, k->own_key);
    set_to_zero(a, k->own_value, k->values_size);
    add_product(a, &d->value, k->y, k->own_value);
    if (place_in_time == 0) { // a compute node: later nodes read it, and itself is all that it reads
        for (int i = 0; i < HEADS_KEY; i++)
            a->copy(gw_number(a, k->keys, time * HEADS_KEY + i), gw_number(a, k->own_key, i));
        for (int i = 0; i < k->values_size; i++)
            a->copy(gw_number(a, k->values, time * k->values_size + i), gw_number(a, k->own_value, i));
        k->run->edges++;
    } else {
        void *key = gw_number(a, k->keys, (place_in_time - 1) * HEADS_KEY),
             *value = gw_number(a, k->values, (place_in_time - 1) * k->values_size);
        if (k->run->product) GW_TRY(attend_by_product(k, time, key, value));
        else if (other_wins(k, key))
            for (int i = 0; i < k->values_size; i++) a->copy(gw_number(a, k->own_value, i), gw_number(a, value, i));
        k->run->edges += 2;
    }
    for (int i = 0; i < k->values_size; i++) {
        const int symbols = d->machine.symbols;
        const int row = i < symbols ? d->w + i : i == symbols ? d->best_c : d->best_r;
        a->copy(gw_number(a, k->y, row), gw_number(a, k->own_value, i)); // added to 0
    }
    return GW_OK;
}

// y = F(y)
static void finish(worker *k) {
    const gw_arithmetic *a = k->a;
    const gw_decoder *d = k->d;
    set_to_zero(a, k->hidden, d->final_in.rows);
    set_to_zero(a, k->next, d->final_middle.rows);
    add_product(a, &d->final_in, k->y, k->hidden);
    rectify(a, k->hidden, d->final_in.rows, k->zero);
    add_product(a, &d->final_middle, k->hidden, k->next);
    rectify(a, k->next, d->final_middle.rows, k->zero);
    set_to_zero(a, k->y, d->width);
    add_product(a, &d->final_out, k->next, k->y);
}

static gw_status run_node(worker *k, int64_t time, int64_t place_in_time) {
    const gw_decoder *d = k->d;
    const long p = (long)time + 1;
    add_integer(k->a, k->y, d->one, 1, 1, k->scratch);
    add_integer(k->a, k->y, d->p, p, 1, k->scratch);
    add_integer(k->a, k->y, d->r, 1, p, k->scratch);
    if (place_in_time == 0) add_integer(k->a, k->y, d->first, p, 1, k->scratch);
    if (place_in_time == p) add_integer(k->a, k->y, d->last, p, 1, k->scratch);
    attend_to_encoder(k);
    for (int layer = 0; layer < 3; layer++) { // y += O(y)
        const net *n = &k->d->layer[layer];
        set_to_zero(k->a, k->hidden, n->in.rows);
        add_product(k->a, &n->in, k->y, k->hidden);
        rectify(k->a, k->hidden, n->in.rows, k->zero);
        add_product(k->a, &n->out, k->hidden, k->y);
    }
    GW_TRY(look_up(k, time, place_in_time));
    if (place_in_time == time + 1) {
        const double r = k->a->value(gw_number(k->a, k->y, k->d->best_r));
        const bool same_cell =
            fabs(k->a->value(gw_number(k->a, k->y, k->d->best_c)) - k->a->value(gw_number(k->a, k->y, k->d->c2))) < 0.5;
        k->run->carrier[time + 1] = same_cell && r > 0 ? llround(1 / r) - 1 : -1;
    }
    finish(k);
    k->run->nodes++;
    return GW_OK;
}

// Exactly, or as the nearest whole number in floating point.
static bool is(worker *k, int field, int64_t want) {
    const double distance = fabs(k->a->value(gw_number(k->a, k->y, field)) - (double)want);
    return k->a == &gw_exact_arithmetic ? distance == 0 : distance < 0.5;
}

static bool is_one_hot(worker *k, int field, int count, int which) {
    for (int i = 0; i < count; i++)
        if (!is(k, field + i, i == which)) return false;
    return true;
}

static bool is_moment(worker *k, const gw_moment *m) {
    const gw_decoder *d = k->d;
    return is_one_hot(k, d->q, d->machine.states, m->state) && is_one_hot(k, d->s, d->machine.symbols, m->symbol) &&
           is(k, d->c, m->head);
}

static gw_status simulate(worker *k) {
    const gw_machine_run *truth = k->run->truth;
    k->a->set(gw_number(k->a, k->y, k->d->q + k->d->machine.start), 1, 1); // y_1: on a blank, cell 0
    k->a->set(gw_number(k->a, k->y, k->d->s), 1, 1);
    k->run->carrier[0] = -1;
    for (int64_t t = 0; t <= truth->steps && is_moment(k, &truth->moment[t]); t++) {
        int64_t last = t - 1; // the last visit of the cell under the head, or -1
        while (last >= 0 && truth->moment[last].head != truth->moment[t].head) last--;
        if (k->run->carrier[t] != last) break;
        k->run->equal_steps = t + 1;
        GW_TRY(gw_check_interrupt());
        for (int64_t place_in_time = 0; t < truth->steps && place_in_time <= t + 1; place_in_time++)
            GW_TRY(run_node(k, t, place_in_time));
    }
    return GW_OK;
}

gw_status gw_decoder_simulate(const gw_decoder *decoder, gw_decoder_run *run) {
    worker k = {.d = decoder, .run = run, .a = run->arithmetic, .values_size = decoder->machine.symbols + 2};
    run->nodes = run->edges = run->equal_steps = 0;
    place(&k);
    const int64_t numbers = k.numbers;
    k.memory = numbers_new(k.a, numbers);
    if (!k.memory) return GW_ERR_MEMORY;
    place(&k);
    const gw_status status = simulate(&k);
    numbers_free(k.a, k.memory, numbers);
    return status;
}
