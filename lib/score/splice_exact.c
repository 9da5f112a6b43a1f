// SPDX-License-Identifier: MIT
// A member computes level after level: convolutions take the rows of many pieces, with what lies beside them, as
// sequences of one batch. Alleles go through in groups whose rows stay in the cache.
#include "score/splice_exact.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/string.h"
#include "kernels/backend.h"
#include "model/members.h"
#include "network/forward.h"
#include "score/splice_piece.h"
#include "seq/genome/genome.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH_ROWS = 8192, MOST_TASKS = 256, LEAST_ROWS = 256, LAUNCH_ROWS = 128, GROUP_FLOATS = 4 << 20 };

// Rows of a piece's level, in one batch.
typedef struct {
    const gw_splice_piece *piece;
    gw_splice_range rows;
} task;

struct gw_splice_exact {
    gw_splice_layers *layers; // [members]
    int members;
    const gw_config *config;
    int64_t width, flank, classes, batch_rows;
    int32_t token[256]; // of letters
    gw_splice_piece ref;
    gw_splice_piece *pieces; // alleles of the stretch
    int64_t piece_count, piece_capacity;
    char *letters, *text; // the pieces' bases; REF's in the order of its strand, and behind it a window's
    int64_t letter_count, letter_capacity, text_capacity;
    float *levels, *group; // REF's levels and sums; those of a group of pieces
    int64_t level_capacity, group_capacity;
    float *in, *out, *scratch; // [batch_rows][width]
    int64_t scratch_floats;
    // the batch
    task task[MOST_TASKS];
    int64_t start[MOST_TASKS + 1];
    int64_t tasks;
};

// What is done with the rows of a batch: convolution `index`, skip `index`, or the head.
typedef struct {
    gw_splice_exact *of;
    const gw_splice_layers *layers;
    enum { LAYER, SKIP, HEAD } kind;
    int index;
    int64_t reach; // rows of either side that are read too
} pass;

static gw_status make(gw_splice_exact *x, gw_model *model, bool *can) {
    x->layers = gw_alloc(x->members, sizeof *x->layers);
    if (!x->layers) return GW_ERR_MEMORY;
    x->batch_rows = BATCH_ROWS;
    for (int m = 0; m < x->members; m++) {
        gw_model *member = gw_model_member(model, m);
        GW_TRY(gw_parameters_on_device(&member->parameters));
        *can = *can && gw_splice_layers_of(member, &x->layers[m]);
    }
    if (!*can) return GW_OK;
    for (int k = 0; k < x->layers->count; k++)
        if (x->batch_rows < 4 * x->layers->layer[k].reach) x->batch_rows = 4 * x->layers->layer[k].reach;
    x->config = &model->config;
    x->classes = model->config.labels;
    x->width = x->layers->width;
    x->flank = x->layers->reach[x->layers->count];
    gw_base_map_letters(model, x->token);
    x->in = gw_alloc_aligned(x->batch_rows * x->width * (int64_t)sizeof(float));
    x->out = gw_alloc_aligned(x->batch_rows * (x->width > x->classes ? x->width : x->classes) * (int64_t)sizeof(float));
    return x->in && x->out ? GW_OK : GW_ERR_MEMORY;
}

gw_status gw_splice_exact_new(gw_model *model, gw_splice_exact **out) {
    const gw_backend *kernels = gw_kernels();
    *out = NULL;
    if (!kernels) return GW_ERR_UNSUPPORTED;
    bool can = kernels->shares_host;
    if (!can) return GW_OK;
    gw_splice_exact *made = gw_alloc(1, sizeof *made);
    if (!made) return GW_ERR_MEMORY;
    made->members = gw_model_member_count(model);
    const gw_status status = make(made, model, &can);
    if (status == GW_OK && can) *out = made;
    else gw_splice_exact_free(made);
    return status;
}

void gw_splice_exact_free(gw_splice_exact *x) {
    if (!x) return;
    free(x->layers);
    free(x->pieces);
    free(x->letters);
    free(x->text);
    free(x->levels);
    free(x->group);
    free(x->in);
    free(x->out);
    free(x->scratch);
    free(x);
}

int64_t gw_splice_exact_base_bytes(const gw_splice_exact *x) {
    return (x->layers->count + 2) * x->width * (int64_t)sizeof(float);
}

// Two stretches have twice the rows beside those that are read, level by level, and launches that cost some rows more.
int64_t gw_splice_exact_gap(const gw_splice_exact *x) {
    const gw_splice_layers *layers = x->layers;
    int64_t products = 0, beside = 0;
    for (int k = 0; k < layers->count; k++) {
        products += layers->layer[k].taps;
        beside += layers->layer[k].taps * (x->flank - layers->reach[k + 1]);
    }
    return 2 * beside / products + LAUNCH_ROWS;
}

static int64_t length_of(gw_splice_range range) {
    return range.end - range.begin;
}

void gw_splice_exact_note(const gw_splice_exact *x, int64_t rows) {
    const gw_splice_layers *layers = x->layers;
    const gw_splice_change change = {
        .at = x->flank + rows / 2, .removed = 1, .put = 1, .begin = x->flank, .end = x->flank + rows};
    const int64_t whole = rows + 2 * x->flank;
    double computed = 0, all = 0;
    gw_string shares = {0};
    for (int k = 0; k < layers->count; k++) {
        const int64_t cone = length_of(gw_splice_cone(layers, &change, k + 1));
        computed += (double)(cone * layers->layer[k].taps);
        all += (double)(whole * layers->layer[k].taps);
        gw_string_printf(&shares, " %.3g", 100 * (double)cone / (double)whole);
    }
    if (!shares.failed)
        gw_detail(
            "an allele of one base computes %.3g %% of its window's products; of the rows of each layer, in %%:%s",
            100 * computed / all, shares.data);
    gw_string_free(&shares);
}

static int64_t rows_before(const gw_splice_exact *x, const pass *p, int64_t i) {
    return (x->start[i] + p->reach) * x->width;
}

static void load_tasks(void *context, int64_t begin, int64_t end, int thread) {
    const pass *p = context;
    const gw_splice_exact *x = p->of;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const task *t = &x->task[i];
        const gw_splice_range rows = {t->rows.begin - p->reach, t->rows.end + p->reach};
        float *to = x->in + x->start[i] * x->width;
        if (p->kind == HEAD)
            memcpy(to, t->piece->sum + (rows.begin - t->piece->last.begin) * x->width,
                   (size_t)((rows.end - rows.begin) * x->width) * sizeof *to);
        else
            gw_splice_piece_copy(p->layers, &x->ref, t->piece,
                                 p->kind == LAYER ? p->index : p->layers->skip[p->index].level, rows, to);
    }
}

static void add_rows(const float *from, int64_t count, float *to) {
    for (int64_t i = 0; i < count; i++) to[i] += from[i];
}

// What a convolution made becomes rows of the next level; what a skip made goes to its sum.
static void store_tasks(void *context, int64_t begin, int64_t end, int thread) {
    const pass *p = context;
    const gw_splice_exact *x = p->of;
    (void)thread;
    for (int64_t i = begin; i < end; i++) {
        const task *t = &x->task[i];
        const int64_t count = (t->rows.end - t->rows.begin) * x->width, at = rows_before(x, p, i);
        float *to = t->piece->sum + (t->rows.begin - t->piece->last.begin) * x->width;
        if (p->kind == LAYER) {
            to = gw_splice_piece_row(p->layers, t->piece, p->index + 1, t->rows.begin);
            if (p->layers->layer[p->index].second) {
                gw_splice_piece_copy(p->layers, &x->ref, t->piece, p->index - 1, t->rows, x->in + at);
                add_rows(x->in + at, count, x->out + at);
            }
        } else if (p->index > 0) {
            add_rows(to, count, x->out + at);
        }
        memcpy(to, x->out + at, (size_t)count * sizeof *to);
    }
}

static gw_status store_classes(const pass *p) {
    const gw_splice_exact *x = p->of;
    for (int64_t i = 0; i < x->tasks; i++) {
        const task *t = &x->task[i];
        const gw_splice_piece *piece = t->piece;
        const int64_t first = piece->is_ref ? x->flank : piece->change.begin,
                      count = piece->window->length - 2 * x->flank;
        const float *logits = x->out + x->start[i] * x->classes;
        for (int64_t row = t->rows.begin; row < t->rows.end; row++, logits += x->classes)
            if (!gw_base_add_classes(x->config, logits, 1.0 / x->members,
                                     gw_splice_piece_classes(piece, first, count, row, x->classes)))
                return gw_output_not_finite();
    }
    return GW_OK;
}

static gw_status need_scratch(gw_splice_exact *x, gw_op op, const void *arguments) {
    const int64_t floats = gw_kernels()->scratch(op, arguments);
    if (floats <= x->scratch_floats) return GW_OK;
    free(x->scratch);
    x->scratch = gw_alloc_aligned(floats * (int64_t)sizeof *x->scratch);
    x->scratch_floats = x->scratch ? floats : 0;
    return x->scratch ? GW_OK : GW_ERR_MEMORY;
}

static gw_status convolve(const pass *p) {
    gw_splice_exact *x = p->of;
    const gw_splice_layer *layer = &p->layers->layer[p->index];
    gw_convolution_args args = {.sequences = x->tasks,
                                .rows = x->start[x->tasks],
                                .start = x->start,
                                .in_width = x->width,
                                .width = x->width,
                                .taps = layer->taps,
                                .dilation = layer->dilation,
                                .groups = 1,
                                .halo = p->reach,
                                .in = x->in,
                                .weight = layer->weight,
                                .bias = layer->bias,
                                .out = x->out,
                                .precision = p->layers->precision};
    GW_TRY(need_scratch(x, GW_OP_convolution, &args));
    args.scratch = x->scratch;
    GW_TRY(gw_kernels()->affine(&(gw_affine_args){.rows = args.rows,
                                                  .width = x->width,
                                                  .slope = layer->slope,
                                                  .in = x->in,
                                                  .weight = layer->scale,
                                                  .bias = layer->shift,
                                                  .out = x->in}));
    return gw_kernels()->convolution(&args);
}

static gw_status multiply(const pass *p) {
    gw_splice_exact *x = p->of;
    gw_linear_args args = {.rows = x->start[x->tasks], .in = x->in, .out = {x->out}};
    args.layer[0] = p->kind == SKIP ? p->layers->skip[p->index].linear : p->layers->head;
    GW_TRY(need_scratch(x, GW_OP_linear, &args));
    args.scratch = x->scratch;
    return gw_kernels()->linear(&args);
}

static gw_status flush(pass *p) {
    gw_splice_exact *x = p->of;
    if (x->tasks == 0) return GW_OK;
    gw_parallel_for(x->tasks, 1, load_tasks, p);
    GW_TRY(p->kind == LAYER ? convolve(p) : multiply(p));
    if (p->kind == HEAD) GW_TRY(store_classes(p));
    else gw_parallel_for(x->tasks, 1, store_tasks, p);
    x->tasks = 0;
    return GW_OK;
}

// Rows of a piece into batches, cut where one is full.
static gw_status add_task(pass *p, const gw_splice_piece *piece, gw_splice_range rows) {
    gw_splice_exact *x = p->of;
    while (rows.begin < rows.end) {
        const int64_t used = x->tasks > 0 ? x->start[x->tasks] : 0, left = rows.end - rows.begin;
        int64_t fit = x->batch_rows - used - 2 * p->reach;
        if (x->tasks == MOST_TASKS || (fit < left && fit < LEAST_ROWS)) {
            GW_TRY(flush(p));
            continue;
        }
        if (fit > left) fit = left;
        x->task[x->tasks++] = (task){piece, {rows.begin, rows.begin + fit}};
        x->start[x->tasks] = used + fit + 2 * p->reach;
        rows.begin += fit;
    }
    return GW_OK;
}

static gw_status run_pass(pass p, const gw_splice_piece *pieces, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        GW_TRY(add_task(&p, &pieces[i],
                        p.kind == LAYER ? gw_splice_piece_rows(p.layers, &pieces[i], p.index + 1) : pieces[i].last));
    return flush(&p);
}

// Level 0.
static void embed(const gw_splice_exact *x, const gw_splice_layers *layers, const gw_splice_piece *piece) {
    const gw_splice_range rows = gw_splice_piece_rows(layers, piece, 0);
    const char *bases = piece->is_ref ? x->text : x->letters + piece->letters;
    const int64_t first = piece->is_ref ? 0 : piece->change.at;
    for (int64_t row = rows.begin; row < rows.end; row++)
        memcpy(gw_splice_piece_row(layers, piece, 0, row),
               layers->embedding + x->token[(unsigned char)bases[row - first]] * x->width,
               (size_t)x->width * sizeof(float));
}

static gw_status run_pieces(gw_splice_exact *x, const gw_splice_layers *layers, const gw_splice_piece *pieces,
                            int64_t count) {
    for (int64_t i = 0; i < count; i++) embed(x, layers, &pieces[i]);
    for (int level = 0, skip = 0; level <= layers->count; level++) {
        for (; skip < layers->skips && layers->skip[skip].level == level; skip++)
            GW_TRY(run_pass((pass){.of = x, .layers = layers, .kind = SKIP, .index = skip}, pieces, count));
        if (level == layers->count) break;
        const pass convolution = {
            .of = x, .layers = layers, .kind = LAYER, .index = level, .reach = layers->layer[level].reach};
        GW_TRY(run_pass(convolution, pieces, count));
    }
    return run_pass((pass){.of = x, .layers = layers, .kind = HEAD}, pieces, count);
}

static int64_t floats_of(const gw_splice_exact *x, const gw_splice_piece *piece) {
    return (2 * (piece->all.end - piece->all.begin) + piece->last.end - piece->last.begin) * x->width;
}

// Memory of a group of pieces, as many as fit from `first` on; *count is set.
static gw_status place_group(gw_splice_exact *x, int64_t first, int64_t *count) {
    int64_t floats = 0, end = first;
    while (end < x->piece_count && (end == first || floats + floats_of(x, &x->pieces[end]) <= GROUP_FLOATS))
        floats += floats_of(x, &x->pieces[end++]);
    GW_TRY(gw_reserve(&x->group, &x->group_capacity, floats + 1, sizeof *x->group)); // pieces may all be empty
    float *at = x->group;
    for (int64_t i = first; i < end; i++) {
        gw_splice_piece *piece = &x->pieces[i];
        const int64_t rows = (piece->all.end - piece->all.begin) * x->width;
        for (int level = 0; level <= x->layers->count; level++) piece->level[level] = at + level % 2 * rows;
        piece->sum = at + 2 * rows;
        at += floats_of(x, piece);
    }
    *count = end - first;
    return GW_OK;
}

static void put_text(const gw_labelling_window *window, char *to) {
    if (window->strand == '-') gw_reverse_complement(window->bases, window->length, to);
    else memcpy(to, window->bases, (size_t)window->length);
}

static gw_status begin_stretch(gw_splice_exact *x, const gw_labelling_window *window) {
    const int64_t length = window->length, rows = length * x->width;
    const int levels = x->layers->count + 1;
    GW_TRY(gw_reserve(&x->text, &x->text_capacity, length, 1));
    GW_TRY(gw_reserve(&x->levels, &x->level_capacity, (levels + 1) * rows, sizeof *x->levels));
    put_text(window, x->text);
    x->ref =
        (gw_splice_piece){.window = window, .is_ref = true, .all = {0, length}, .last = {x->flank, length - x->flank}};
    for (int level = 0; level < levels; level++) x->ref.level[level] = x->levels + level * rows;
    x->ref.sum = x->levels + levels * rows;
    x->piece_count = x->letter_count = 0;
    return GW_OK;
}

static gw_status add_piece(gw_splice_exact *x, const gw_labelling_window *window) {
    const int64_t ref = x->ref.window->length;
    const int64_t offset = window->strand == '-' ? ref - window->offset - window->span : window->offset;
    GW_TRY(gw_reserve(&x->text, &x->text_capacity, ref + window->length, 1));
    GW_TRY(gw_reserve(&x->pieces, &x->piece_capacity, x->piece_count + 1, sizeof *x->pieces));
    GW_TRY(gw_reserve(&x->letters, &x->letter_capacity, x->letter_count + window->length, 1));
    put_text(window, x->text + ref);
    gw_splice_change change = gw_splice_change_of(x->text, offset, window->span, x->text + ref, window->length);
    change.begin = offset + x->flank;
    change.end = offset + window->length - x->flank;
    gw_splice_piece *piece = &x->pieces[x->piece_count++];
    *piece = (gw_splice_piece){.window = window,
                               .change = change,
                               .letters = x->letter_count,
                               .all = gw_splice_all_cones(x->layers, &change),
                               .last = gw_splice_cone(x->layers, &change, x->layers->count)};
    memcpy(x->letters + x->letter_count, x->text + ref + (change.at - offset), (size_t)change.put);
    x->letter_count += change.put;
    return GW_OK;
}

// Rows of an allele that are REF's.
static void take_ref_rows(const gw_splice_exact *x, const gw_splice_piece *piece) {
    const gw_splice_change *c = &piece->change;
    const int64_t count = c->end - c->begin, of_ref = x->ref.window->length - 2 * x->flank;
    for (int64_t row = c->begin; row < c->end; row++) {
        if (row >= piece->last.begin && row < piece->last.end) continue;
        memcpy(gw_splice_piece_classes(piece, c->begin, count, row, x->classes),
               gw_splice_piece_classes(&x->ref, x->flank, of_ref, gw_splice_ref_row(c, row), x->classes),
               (size_t)x->classes * sizeof(float));
    }
}

static gw_status run_stretch(gw_splice_exact *x) {
    for (int m = 0; m < x->members; m++) {
        GW_TRY(run_pieces(x, &x->layers[m], &x->ref, 1));
        for (int64_t first = 0, count; first < x->piece_count; first += count) {
            GW_TRY(place_group(x, first, &count));
            GW_TRY(run_pieces(x, &x->layers[m], x->pieces + first, count));
        }
    }
    for (int64_t i = 0; i < x->piece_count; i++) take_ref_rows(x, &x->pieces[i]);
    return GW_OK;
}

gw_status gw_splice_exact_run(gw_splice_exact *x, const gw_labelling_window *windows, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        memset(windows[i].rows, 0, (size_t)((windows[i].length - 2 * x->flank) * x->classes) * sizeof(float));
    for (int64_t i = 0; i < count; i++) {
        if (windows[i].ref >= 0) continue;
        GW_TRY(begin_stretch(x, &windows[i]));
        for (int64_t k = 0; k < count; k++)
            if (windows[k].ref == i) GW_TRY(add_piece(x, &windows[k]));
        GW_TRY(run_stretch(x));
    }
    return GW_OK;
}
