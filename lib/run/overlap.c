// SPDX-License-Identifier: MIT
// The caller counts pieces as ready, the thread as summed; each waits for the other's count.
#include "run/overlap.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"

#include <signal.h>
#include <stdlib.h>

enum { PIECES = 32, LEAST_PIECE = 1 << 14, MOST_PIECE = 1 << 20, ALIGNED = 16 };

int64_t gw_piece_floats(int64_t floats) {
    const int64_t each = (floats / PIECES + ALIGNED - 1) / ALIGNED * ALIGNED;
    return each < LEAST_PIECE ? LEAST_PIECE : each < MOST_PIECE ? each : MOST_PIECE;
}

static int compare_pieces(const void *first, const void *second) {
    const gw_piece *a = first, *b = second;
    if (a->actions != b->actions) return a->actions < b->actions ? -1 : 1;
    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static gw_status list_pieces(gw_overlap *o, int64_t floats) {
    const int64_t most = gw_piece_floats(floats);
    o->piece = gw_alloc((floats + most - 1) / most, sizeof *o->piece);
    if (!o->piece) return GW_ERR_MEMORY;
    for (int64_t begin = 0; begin < floats; begin += most) {
        const int64_t length = floats - begin < most ? floats - begin : most;
        o->piece[o->count++] = (gw_piece){begin, length, gw_network_last_write(o->network, begin, begin + length)};
    }
    qsort(o->piece, (size_t)o->count, sizeof *o->piece, compare_pieces);
    return GW_OK;
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

// Signals are the caller's, too.
static gw_status start_thread(gw_overlap *o) {
    sigset_t all, before;
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->changed, NULL);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    o->threaded = pthread_create(&o->thread, NULL, sum_pieces, o) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return o->threaded ? GW_OK : gw_fail(GW_ERR_MEMORY, "no thread can be started that sums gradients");
}

gw_status gw_overlap_make(gw_overlap *overlap, gw_network *network, int64_t floats, gw_piece_calls calls,
                          bool threaded) {
    *overlap = (gw_overlap){.network = network, .calls = calls};
    GW_TRY(list_pieces(overlap, floats));
    return threaded ? start_thread(overlap) : GW_OK;
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

static void give(gw_overlap *o, int64_t ready) {
    pthread_mutex_lock(&o->lock);
    o->ready = ready;
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

static void take_final(void *context, int64_t actions) {
    gw_overlap *o = context;
    const int64_t before = o->next;
    for (; o->next < o->count && o->piece[o->next].actions <= actions; o->next++)
        o->calls.ready(o->calls.context, o->piece[o->next]);
    if (o->next > before && o->threaded) give(o, o->next);
}

void gw_overlap_begin(gw_overlap *overlap) {
    gw_network_tell(overlap->network, take_final, overlap);
}

static void start_again(gw_overlap *o) {
    o->seconds = o->summing;
    o->summing = 0;
    o->next = o->ready = o->summed = 0;
}

static void wait_for_thread(gw_overlap *o) {
    pthread_mutex_lock(&o->lock);
    while (o->summed < o->count) pthread_cond_wait(&o->changed, &o->lock);
    start_again(o);
    pthread_mutex_unlock(&o->lock);
}

static void sum_here(gw_overlap *o) {
    for (; o->summed < o->count; o->summed++) sum_next(o);
    start_again(o);
}

void gw_overlap_end(gw_overlap *overlap) {
    const double began = gw_seconds_now();
    gw_network_tell(overlap->network, NULL, NULL);
    take_final(overlap, INT64_MAX);
    if (overlap->threaded) wait_for_thread(overlap);
    else sum_here(overlap);
    overlap->waited = gw_seconds_now() - began;
}
