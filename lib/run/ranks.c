// SPDX-License-Identifier: MIT
// Which rank this is, what it shares with the others, and how they agree that one of them has failed.
#include "run/ranks.h"

#include "base/log.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static struct {
    const gw_transport *transport; // NULL: alone
    int rank, count;
    bool parted; // one has failed, as all know
} ranks = {.count = 1};

int gw_rank(void) {
    return ranks.rank;
}

int gw_rank_count(void) {
    return ranks.count;
}

bool gw_is_first_rank(void) {
    return ranks.rank == 0;
}

gw_status gw_ranks_use(const gw_transport *transport) {
    const char *fault = transport->join(&ranks.rank, &ranks.count);
    if (fault) return gw_fail(GW_ERR_UNSUPPORTED, "%s", fault);
    ranks.transport = transport;
    return GW_OK;
}

// Nobody is gone before all have come to their end: rank 0 may still be writing.
static void wait_for_all(void) {
    char *all = gw_alloc(ranks.count, 1), mine = 0;
    if (!all) gw_ranks_abort();
    gw_ranks_gather(&mine, 1, all);
    free(all);
}

void gw_ranks_end(void) {
    if (ranks.count > 1) wait_for_all();
    if (ranks.transport) ranks.transport->leave();
    ranks.transport = NULL;
    ranks.rank = 0;
    ranks.count = 1;
    ranks.parted = false;
}

_Noreturn void gw_ranks_abort(void) {
    if (ranks.transport) ranks.transport->abort(1);
    abort();
}

void gw_ranks_broadcast(void *bytes, int64_t count) {
    if (ranks.count > 1) ranks.transport->broadcast(bytes, count);
}

void gw_ranks_gather(const void *mine, int64_t bytes, void *all) {
    if (ranks.count > 1) ranks.transport->gather(mine, bytes, all);
    else memcpy(all, mine, (size_t)bytes);
}

void gw_ranks_trade(const void *out, const int64_t *out_at, void *in, const int64_t *in_at) {
    ranks.transport->trade(out, out_at, in, in_at);
}

void gw_ranks_sum(float *numbers, int64_t count) {
    if (ranks.count > 1) ranks.transport->sum(numbers, count);
}

bool gw_ranks_sum_device(void) {
    return ranks.count > 1 && ranks.transport->sums_device;
}

void gw_ranks_mark(void) {
    ranks.transport->mark();
}

// The rank whose failure counts: the first that was not merely interrupted; -1: none has failed.
static int failed_rank(const int32_t *status) {
    int found = -1;
    for (int r = ranks.count - 1; r >= 0; r--) {
        const bool weak = status[r] == GW_ERR_INTERRUPTED && found >= 0 && status[found] != GW_ERR_INTERRUPTED;
        if (status[r] != GW_OK && !weak) found = r;
    }
    return found;
}

// All have failed alike where they were given the same wrong input: then no rank is named.
static gw_status fail_as(int failed, const int32_t *status) {
    enum { MESSAGE = 1024 };
    char mine[MESSAGE] = "", theirs[MESSAGE], *all = gw_alloc(ranks.count, MESSAGE);
    if (!all) gw_ranks_abort();
    strncat(mine, gw_message(), MESSAGE - 1);
    gw_ranks_gather(mine, MESSAGE, all);
    memcpy(theirs, all + (int64_t)failed * MESSAGE, MESSAGE);
    bool alike = true;
    for (int r = 0; r < ranks.count; r++)
        alike = alike && status[r] == status[failed] && strcmp(all + (int64_t)r * MESSAGE, theirs) == 0;
    free(all);
    const gw_status code = (gw_status)status[failed];
    if (alike || failed == 0 || code == GW_ERR_INTERRUPTED) return gw_fail(code, "%s", theirs);
    return gw_fail(code, "rank %d of %d: %s", failed, ranks.count, theirs);
}

gw_status gw_ranks_agree(gw_status status) {
    const int32_t mine = (int32_t)status;
    if (ranks.count == 1 || ranks.parted) return status;
    int32_t *all = gw_alloc(ranks.count, sizeof *all);
    if (!all) gw_ranks_abort();
    gw_ranks_gather(&mine, sizeof mine, all);
    const int failed = failed_rank(all);
    const gw_status agreed = failed < 0 ? GW_OK : fail_as(failed, all);
    ranks.parted = failed >= 0;
    free(all);
    return agreed;
}

gw_status gw_ranks_text(const char *mine, char **first) {
    int64_t length = (int64_t)strlen(mine) + 1;
    *first = NULL;
    GW_TRY(gw_ranks_agree(GW_OK));
    gw_ranks_broadcast(&length, sizeof length);
    *first = gw_alloc(length, 1);
    GW_TRY(gw_ranks_agree(*first ? GW_OK : GW_ERR_MEMORY));
    if (gw_is_first_rank()) memcpy(*first, mine, (size_t)length);
    gw_ranks_broadcast(*first, length);
    return GW_OK;
}

static gw_status compare(const char *what, const char *first, const char *text) {
    if (strcmp(first, text) == 0) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH, "%s is '%s', that of rank 0 '%s'", what, text, first);
}

gw_status gw_ranks_compare(const char *what, const char *text) {
    char *first;
    gw_status status = gw_ranks_text(text, &first);
    if (status == GW_OK) status = gw_ranks_agree(compare(what, first, text));
    free(first);
    return status;
}
