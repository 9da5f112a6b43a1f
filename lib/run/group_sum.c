// SPDX-License-Identifier: MIT
// Nodes are on a stack, as in binary counting. If the last two are siblings, the second is added to the first.
#include "run/group_sum.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "run/ranks.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

gw_group_range gw_groups_of_rank(int64_t groups, int rank, int ranks) {
    return (gw_group_range){groups * rank / ranks, groups * (rank + 1) / ranks};
}

static bool are_brothers(const gw_group_node *first, const gw_group_node *second) {
    return first->size == second->size && first->begin % (2 * first->size) == 0;
}

// The nodes that cover a run of groups; returns how many.
static int list_nodes(gw_group_range range, gw_group_node *node) {
    int count = 0;
    for (int64_t g = range.begin; g < range.end; g++) {
        node[count++] = (gw_group_node){.begin = g, .size = 1};
        for (; count > 1 && are_brothers(&node[count - 2], &node[count - 1]); count--) node[count - 2].size *= 2;
    }
    return count;
}

typedef struct {
    float *to;
    const float *from;
} add_job;

static void add_part(void *context, int64_t begin, int64_t end, int thread) {
    (void)thread;
    const add_job *job = context;
    for (int64_t i = begin; i < end; i++) job->to[i] += job->from[i];
}

static void add(float *to, const float *from, int64_t count) {
    enum { GRAIN = 1 << 15 };
    add_job job = {to, from};
    gw_parallel_for(count, GRAIN, add_part, &job);
}

// Puts a node on the stack, whose numbers are changed.
static void push(gw_group_node *stack, int *count, gw_group_node node, int64_t floats) {
    stack[(*count)++] = node;
    for (; *count > 1 && are_brothers(&stack[*count - 2], &stack[*count - 1]); --*count) {
        add(stack[*count - 2].at, stack[*count - 1].at, floats);
        stack[*count - 2].size *= 2;
    }
}

// Brothers that lack groups behind the last one.
static void add_rest(gw_group_node *stack, int *count, int64_t floats) {
    for (; *count > 1; --*count) add(stack[*count - 2].at, stack[*count - 1].at, floats);
}

enum { ALIGNED = 16 }; // floats

// Floats of a piece that a rank adds up.
static int64_t slice_of(int64_t length) {
    const int64_t ranks = gw_rank_count();
    return ((length + ranks - 1) / ranks + ALIGNED - 1) / ALIGNED * ALIGNED;
}

gw_status gw_group_sum_make(gw_group_sum *sum, int64_t groups, int64_t floats, int64_t piece) {
    *sum = (gw_group_sum){.groups = groups,
                          .floats = floats,
                          .piece = piece,
                          .own = gw_groups_of_rank(groups, gw_rank(), gw_rank_count())};
    gw_group_node node[GW_GROUP_NODES];
    for (int64_t g = sum->own.begin; g < sum->own.end; g++) { // the stack is highest before brothers are added
        const int height = 1 + list_nodes((gw_group_range){sum->own.begin, g}, node);
        for (; sum->blocks < height; sum->blocks++)
            if (!(sum->block[sum->blocks] = gw_alloc(floats, sizeof(float)))) return GW_ERR_MEMORY;
    }
    const int64_t ranks = gw_rank_count(), slice = slice_of(piece);
    int64_t nodes = 0; // of all ranks
    if (ranks == 1) return GW_OK;
    for (int r = 0; r < ranks; r++) nodes += list_nodes(gw_groups_of_rank(groups, r, (int)ranks), node);
    sum->out = gw_alloc(list_nodes(sum->own, node) * slice * ranks, sizeof *sum->out);
    sum->in = gw_alloc(nodes * slice, sizeof *sum->in);
    sum->out_at = gw_alloc(2 * (ranks + 1), sizeof *sum->out_at);
    if (!sum->out || !sum->in || !sum->out_at) return GW_ERR_MEMORY;
    sum->in_at = sum->out_at + ranks + 1;
    return GW_OK;
}

void gw_group_sum_free(gw_group_sum *sum) {
    for (int b = 0; b < sum->blocks; b++) free(sum->block[b]);
    free(sum->out);
    free(sum->in);
    free(sum->out_at);
    *sum = (gw_group_sum){0};
}

void gw_group_sum_restart(gw_group_sum *sum) {
    sum->count = 0;
    sum->added = 0;
}

bool gw_group_sum_misses(const gw_group_sum *sum) {
    return sum->own.begin + sum->added + 1 < sum->own.end;
}

void gw_group_sum_add(gw_group_sum *sum, const float *numbers) {
    const gw_group_node node = {sum->own.begin + sum->added++, 1, sum->block[sum->count]};
    memcpy(node.at, numbers, (size_t)sum->floats * sizeof *numbers);
    push(sum->node, &sum->count, node, sum->floats);
}

// Nodes of a piece, with the last own group's; returns how many.
static int take_nodes(const gw_group_sum *sum, int64_t begin, int64_t length, const float *numbers,
                      gw_group_node *node) {
    int count = sum->count;
    const gw_group_node last = {sum->own.end - 1, 1, sum->block[count] + begin};
    for (int n = 0; n < count; n++) {
        node[n] = sum->node[n];
        node[n].at += begin;
    }
    memcpy(last.at, numbers + begin, (size_t)length * sizeof *numbers);
    push(node, &count, last, length);
    return count;
}

// Gives each rank its slice of this one's nodes.
static void trade_nodes(gw_group_sum *sum, const gw_group_node *node, int count, int64_t length) {
    const int ranks = gw_rank_count(), rank = gw_rank();
    const int64_t slice = slice_of(length), mine = gw_min(slice, length - gw_min(length, rank * slice));
    float *to = sum->out;
    gw_group_node theirs[GW_GROUP_NODES];
    sum->in_at[0] = 0;
    for (int r = 0; r < ranks; r++) {
        const int64_t first = gw_min(length, r * slice), floats = gw_min(slice, length - first);
        sum->out_at[r] = (int64_t)(to - sum->out) * (int64_t)sizeof(float);
        for (int n = 0; n < count; n++, to += floats) memcpy(to, node[n].at + first, (size_t)floats * sizeof *to);
        sum->in_at[r + 1] = sum->in_at[r] + list_nodes(gw_groups_of_rank(sum->groups, r, ranks), theirs) * mine *
                                                (int64_t)sizeof(float);
    }
    sum->out_at[ranks] = (int64_t)(to - sum->out) * (int64_t)sizeof(float);
    gw_ranks_trade(sum->out, sum->out_at, sum->in, sum->in_at);
}

// Adds up this rank's slice of all nodes, which begin at `in` in order of their groups; returns where the sum is.
static float *add_slices(const gw_group_sum *sum, int64_t floats) {
    gw_group_node stack[2 * GW_GROUP_NODES], node[GW_GROUP_NODES];
    float *at = sum->in;
    int height = 0;
    for (int r = 0; r < gw_rank_count(); r++) {
        const int count = list_nodes(gw_groups_of_rank(sum->groups, r, gw_rank_count()), node);
        for (int n = 0; n < count; n++, at += floats) {
            node[n].at = at;
            push(stack, &height, node[n], floats);
        }
    }
    add_rest(stack, &height, floats);
    return stack[0].at;
}

void gw_group_sum_piece(gw_group_sum *sum, int64_t begin, int64_t length, float *numbers) {
    gw_group_node node[GW_GROUP_NODES];
    int count = take_nodes(sum, begin, length, numbers, node);
    const float *total;
    if (gw_rank_count() == 1) {
        add_rest(node, &count, length);
        total = node[0].at;
    } else {
        const int64_t slice = slice_of(length), first = gw_min(length, gw_rank() * slice);
        trade_nodes(sum, node, count, length);
        // what every rank gives is as long, the last ones with something behind it that is not read
        gw_ranks_gather(add_slices(sum, gw_min(slice, length - first)), slice * (int64_t)sizeof *numbers, sum->out);
        total = sum->out;
    }
    memcpy(numbers + begin, total, (size_t)length * sizeof *numbers);
}

gw_status gw_group_sum_few(int64_t groups, const double *values, int64_t count, double *total) {
    const int ranks = gw_rank_count();
    const int64_t most = (groups + ranks - 1) / ranks * count;
    double *mine = gw_alloc(most, sizeof *mine), *all = gw_alloc(most * ranks, sizeof *all);
    double *ordered = gw_alloc(groups * count, sizeof *ordered);
    const bool made = mine && all && ordered;
    if (!made && ranks > 1) gw_ranks_abort(); // the others wait
    if (made) {
        const gw_group_range own = gw_groups_of_rank(groups, gw_rank(), ranks);
        memcpy(mine, values, (size_t)((own.end - own.begin) * count) * sizeof *mine);
        gw_ranks_gather(mine, most * (int64_t)sizeof *mine, all);
        for (int r = 0; r < ranks; r++) {
            const gw_group_range of = gw_groups_of_rank(groups, r, ranks);
            memcpy(ordered + of.begin * count, all + r * most, (size_t)((of.end - of.begin) * count) * sizeof *ordered);
        }
        for (int64_t half = 1; half < groups; half *= 2) // the first becomes the sum of all
            for (int64_t g = 0; g + half < groups; g += 2 * half)
                for (int64_t i = g * count; i < (g + 1) * count; i++) ordered[i] += ordered[i + half * count];
        memcpy(total, ordered, (size_t)count * sizeof *total);
    }
    free(mine);
    free(all);
    free(ordered);
    return made ? GW_OK : GW_ERR_MEMORY;
}

// --- pieces, as the backward pass leaves them

// The caller counts pieces as ready, the thread as summed; each waits for the other's count.

enum { PIECES = 32, LEAST_PIECE = 1 << 14, MOST_PIECE = 1 << 20 };

int64_t gw_piece_floats(int64_t floats) {
    const int64_t each = (floats / PIECES + ALIGNED - 1) / ALIGNED * ALIGNED;
    return gw_min(gw_max(each, LEAST_PIECE), MOST_PIECE);
}

static int compare_pieces(const void *first, const void *second) {
    const gw_piece *a = first, *b = second;
    if (a->actions != b->actions) return a->actions < b->actions ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void sum_next(gw_overlap *o) {
    const double began = gw_seconds_now();
    o->calls.sum(o->calls.context, o->piece[o->summed]);
    o->summing += gw_seconds_now() - began;
}

// The processors of this rank are the caller's: what is added here is added by this thread alone.
static void *sum_pieces(void *overlap) {
    gw_overlap *o = overlap;
    gw_set_threads(1);
    pthread_mutex_lock(&o->lock);
    while (!o->ends) {
        if (o->summed == o->ready) {
            pthread_cond_wait(&o->changed, &o->lock);
            continue;
        }
        pthread_mutex_unlock(&o->lock);
        sum_next(o);
        pthread_mutex_lock(&o->lock);
        o->summed++;
        pthread_cond_broadcast(&o->changed);
    }
    pthread_mutex_unlock(&o->lock);
    return NULL;
}

gw_status gw_overlap_make(gw_overlap *overlap, gw_network *network, int64_t floats, gw_piece_calls calls,
                          bool threaded) {
    *overlap = (gw_overlap){.network = network, .calls = calls};
    const int64_t most = gw_piece_floats(floats);
    overlap->piece = gw_alloc((floats + most - 1) / most, sizeof *overlap->piece);
    if (!overlap->piece) return GW_ERR_MEMORY;
    for (int64_t begin = 0; begin < floats; begin += most) {
        const int64_t length = gw_min(floats - begin, most);
        overlap->piece[overlap->count++] =
            (gw_piece){begin, length, gw_network_last_write(network, begin, begin + length)};
    }
    qsort(overlap->piece, (size_t)overlap->count, sizeof *overlap->piece, compare_pieces);
    if (!threaded) return GW_OK;
    sigset_t all, before; // signals are the caller's, too
    pthread_mutex_init(&overlap->lock, NULL);
    pthread_cond_init(&overlap->changed, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    overlap->threaded = pthread_create(&overlap->thread, NULL, sum_pieces, overlap) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return overlap->threaded ? GW_OK : gw_fail(GW_ERR_MEMORY, "cannot start a thread that sums gradients");
}

void gw_overlap_free(gw_overlap *overlap) {
    if (overlap->threaded) {
        pthread_mutex_lock(&overlap->lock);
        overlap->ends = true;
        pthread_cond_broadcast(&overlap->changed);
        pthread_mutex_unlock(&overlap->lock);
        pthread_join(overlap->thread, NULL);
        pthread_cond_destroy(&overlap->changed);
        pthread_mutex_destroy(&overlap->lock);
    }
    free(overlap->piece);
    *overlap = (gw_overlap){0};
}

static void take_final(void *context, int64_t actions) {
    gw_overlap *o = context;
    const int64_t before = o->next;
    for (; o->next < o->count && o->piece[o->next].actions <= actions; o->next++)
        o->calls.ready(o->calls.context, o->piece[o->next]);
    if (o->next == before || !o->threaded) return;
    pthread_mutex_lock(&o->lock);
    o->ready = o->next;
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

void gw_overlap_begin(gw_overlap *overlap) {
    gw_network_tell(overlap->network, take_final, overlap);
}

void gw_overlap_end(gw_overlap *overlap) {
    const double began = gw_seconds_now();
    gw_network_tell(overlap->network, NULL, NULL);
    take_final(overlap, INT64_MAX);
    if (overlap->threaded) pthread_mutex_lock(&overlap->lock);
    while (overlap->threaded && overlap->summed < overlap->count) pthread_cond_wait(&overlap->changed, &overlap->lock);
    for (; overlap->summed < overlap->count; overlap->summed++) sum_next(overlap);
    overlap->seconds = overlap->summing;
    overlap->summing = 0;
    overlap->next = overlap->ready = overlap->summed = 0;
    if (overlap->threaded) pthread_mutex_unlock(&overlap->lock);
    overlap->waited = gw_seconds_now() - began;
}
