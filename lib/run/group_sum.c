// SPDX-License-Identifier: MIT
// Nodes stand on a stack as in binary counting: where the last two are brothers, the second is added to the first.
#include "run/group_sum.h"

#include "base/memory.h"
#include "base/parallel.h"
#include "run/ranks.h"

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

static int64_t least(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// Floats of a piece that a rank adds up.
static int64_t slice_of(int64_t length) {
    const int64_t ranks = gw_rank_count();
    return ((length + ranks - 1) / ranks + ALIGNED - 1) / ALIGNED * ALIGNED;
}

static int64_t nodes_of_all(int64_t groups) {
    gw_group_node node[GW_GROUP_NODES];
    int64_t total = 0;
    for (int r = 0; r < gw_rank_count(); r++) total += list_nodes(gw_groups_of_rank(groups, r, gw_rank_count()), node);
    return total;
}

static gw_status make_exchange(gw_group_sum *sum) {
    gw_group_node node[GW_GROUP_NODES];
    const int64_t ranks = gw_rank_count(), slice = slice_of(sum->piece);
    if (ranks == 1) return GW_OK;
    sum->out = gw_alloc(list_nodes(sum->own, node) * slice * ranks, sizeof *sum->out);
    sum->in = gw_alloc(nodes_of_all(sum->groups) * slice, sizeof *sum->in);
    sum->out_at = gw_alloc(2 * (ranks + 1), sizeof *sum->out_at);
    if (!sum->out || !sum->in || !sum->out_at) return GW_ERR_MEMORY;
    sum->in_at = sum->out_at + ranks + 1;
    return GW_OK;
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
    return make_exchange(sum);
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
    const int64_t slice = slice_of(length), mine = least(slice, length - least(length, rank * slice));
    float *to = sum->out;
    gw_group_node theirs[GW_GROUP_NODES];
    sum->in_at[0] = 0;
    for (int r = 0; r < ranks; r++) {
        const int64_t first = least(length, r * slice), floats = least(slice, length - first);
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
        const int64_t slice = slice_of(length), first = least(length, gw_rank() * slice);
        trade_nodes(sum, node, count, length);
        // what every rank gives is as long, the last ones with something behind it that is not read
        gw_ranks_gather(add_slices(sum, least(slice, length - first)), slice * (int64_t)sizeof *numbers, sum->out);
        total = sum->out;
    }
    memcpy(numbers + begin, total, (size_t)length * sizeof *numbers);
}

static void add_few(double *to, const double *from, int64_t count) {
    for (int64_t i = 0; i < count; i++) to[i] += from[i];
}

// values [groups][count], of which the first becomes the sum of all.
static void add_tree(double *values, int64_t groups, int64_t count) {
    for (int64_t half = 1; half < groups; half *= 2)
        for (int64_t g = 0; g + half < groups; g += 2 * half)
            add_few(values + g * count, values + (g + half) * count, count);
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
        add_tree(ordered, groups, count);
        memcpy(total, ordered, (size_t)count * sizeof *total);
    }
    free(mine);
    free(all);
    free(ordered);
    return made ? GW_OK : GW_ERR_MEMORY;
}
