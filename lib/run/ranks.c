// SPDX-License-Identifier: MIT
// The number of this rank, exchanges with other ranks, agreement on failures, and joining of a launcher's ranks by
// environment variables.
#include "run/ranks.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/plugin_file.h"
#include "kernels/backend.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

void gw_ranks_end(void) {
    if (ranks.count > 1) { // nobody is gone before all have come to their end: rank 0 may still be writing
        char *all = gw_alloc(ranks.count, 1), mine = 0;
        if (!all) gw_ranks_abort();
        gw_ranks_gather(&mine, 1, all);
        free(all);
    }
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

gw_status gw_ranks_compare(const char *what, const char *text) {
    char *first;
    gw_status status = gw_ranks_text(text, &first);
    if (status == GW_OK)
        status = gw_ranks_agree(strcmp(first, text) == 0
                                    ? GW_OK
                                    : gw_fail(GW_ERR_MISMATCH, "%s is '%s', that of rank 0 '%s'", what, text, first));
    free(first);
    return status;
}

// --- the launch

// Reads the launcher's variables, opens the plugin of its MPI, and compares the ranks before any of them works.

enum { MOST_RANKS = 1 << 20 };

// Launchers by their variables, in the order in which they are asked; a rank alone is told by no size.
static const struct {
    const char *rank, *size, *library, *name;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "openmpi", "Open MPI"},
    {"PMI_RANK", "PMI_SIZE", "mpich", "MPICH"},
    {"PMIX_RANK", NULL, "openmpi", "PMIx"},
};
static const char *const libraries[] = {"openmpi", "mpich"};
enum { LAUNCHERS = sizeof launchers / sizeof *launchers, LIBRARIES = sizeof libraries / sizeof *libraries };

// Whether these variables are not of a launch that is running: then this process has no others, and speaks for itself.
static bool stale;

// Makes no message: this is asked while another one waits to be printed.
static int64_t number_of(const char *variable, int64_t otherwise) {
    const char *text = variable ? getenv(variable) : NULL;
    char *end = NULL;
    const long long number = text ? strtoll(text, &end, 10) : -1;
    return number >= 0 && number <= MOST_RANKS && end != text && !*end ? number : otherwise;
}

static gw_status check_number(const char *variable, int64_t least) {
    const char *text = variable ? getenv(variable) : NULL;
    if (!text || number_of(variable, -1) >= least) return GW_OK;
    return gw_fail(GW_ERR_RANGE,
                   "the environment variable %s is '%.40s': expected a whole number of at least %lld; unset it if no "
                   "launcher started this process",
                   variable, text, (long long)least);
}

static gw_status check_rank(const char *rank_name, const char *size_name) {
    GW_TRY(check_number(rank_name, 0));
    GW_TRY(check_number(size_name, 1));
    const int64_t rank = number_of(rank_name, -1), size = number_of(size_name, -1);
    if (rank < 0 || size < 0 || rank < size) return GW_OK;
    return gw_fail(GW_ERR_RANGE,
                   "the environment variable %s is %lld, but %s is %lld: expected a smaller rank; unset both if no "
                   "launcher started this process",
                   rank_name, (long long)rank, size_name, (long long)size);
}

// An environment may hold what an earlier launch has left there, or a script has set.
static gw_status check_variables(void) {
    for (int i = 0; i < LAUNCHERS; i++) {
        const char *rank = launchers[i].rank, *size = launchers[i].size;
        GW_TRY(check_rank(rank, size));
        if (size && getenv(rank) && !getenv(size))
            return gw_fail(GW_ERR_RANGE,
                           "the environment variable %s is %s, but %s is not set: %s's launcher sets both; unset %s if "
                           "no launcher started this process",
                           rank, getenv(rank), size, launchers[i].name, rank);
    }
    if (getenv("TORCHELASTIC_RUN_ID") || getenv("MASTER_ADDR")) GW_TRY(check_rank("RANK", "WORLD_SIZE"));
    return check_rank("SLURM_PROCID", "SLURM_STEP_NUM_TASKS");
}

// -1: none.
static int find_launcher(void) {
    for (int i = 0; i < LAUNCHERS; i++)
        if (number_of(launchers[i].rank, -1) >= 0 && (!launchers[i].size || number_of(launchers[i].size, 0) > 1))
            return i;
    return -1;
}

static bool by_torchrun(void) {
    return (getenv("TORCHELASTIC_RUN_ID") || getenv("MASTER_ADDR")) && number_of("WORLD_SIZE", 1) > 1;
}

static bool by_srun(void) {
    return number_of("SLURM_STEP_NUM_TASKS", 1) > 1;
}

int gw_launched_rank(void) {
    if (stale) return 0;
    const int launcher = find_launcher();
    if (launcher >= 0) return (int)number_of(launchers[launcher].rank, 0);
    return (int)number_of(by_torchrun() ? "RANK" : by_srun() ? "SLURM_PROCID" : NULL, 0);
}

int gw_launched_local_rank(void) {
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID"};
    if (by_torchrun()) return (int)number_of("LOCAL_RANK", 0);
    for (int i = 0; find_launcher() >= 0 && i < (int)(sizeof variables / sizeof *variables); i++)
        if (number_of(variables[i], -1) >= 0) return (int)number_of(variables[i], 0);
    return 0;
}

static gw_status open_transport(const char *file, const gw_transport **transport) {
    char *path;
    void *symbol;
    gw_transport_function *entry;
    GW_TRY(gw_plugin_find(file, &path));
    gw_status status = gw_plugin_open(path, GW_TRANSPORT_ENTRY, &symbol);
    if (status == GW_OK) {
        memcpy(&entry, &symbol, sizeof entry); // POSIX: a function's address fits
        *transport = entry();
        status = gw_plugin_check_abi(path, (*transport)->abi, GW_TRANSPORT_ABI);
    }
    free(path);
    return status;
}

static gw_status open_mpi(const char *library, const gw_transport **transport) {
    char file[64];
    snprintf(file, sizeof file, "libgodwit-mpi-%s.so", library);
    return open_transport(file, transport);
}

// Processes that were started together without being ranks would each train the whole model, and write the same files.
static gw_status refuse_others(const char *command) {
    const int64_t world = number_of("WORLD_SIZE", 1), tasks = number_of("SLURM_STEP_NUM_TASKS", 1);
    if (by_torchrun())
        return gw_fail(
            GW_ERR_UNSUPPORTED,
            "torchrun's variables (WORLD_SIZE %lld) are for NCCL on GPUs (--device cuda); on CPUs use: mpirun "
            "-n %lld %s",
            (long long)world, (long long)world, command);
    if (by_srun())
        return gw_fail(GW_ERR_UNSUPPORTED,
                       "srun began %lld tasks without MPI, which would each train the whole model: srun --mpi=pmi2, or "
                       "--mpi=pmix, makes them ranks",
                       (long long)tasks);
    return GW_OK;
}

// *transport is NULL where this process was started alone.
static gw_status find_transport(const char *command, const gw_transport **transport) {
    const int launcher = find_launcher();
    const char *named = getenv("GODWIT_MPI"), *name = "torchrun";
    const gw_backend *kernels = gw_kernels();
    gw_status status;
    *transport = NULL;
    if (launcher >= 0) {
        name = launchers[launcher].name;
        status = open_mpi(named && *named ? named : launchers[launcher].library, transport);
    } else if (by_torchrun() && kernels && !kernels->shares_host) {
        status = open_transport(GW_PLUGIN_FILE, transport);
    } else {
        return refuse_others(command);
    }
    return status == GW_OK ? GW_OK : gw_fail_in(status, "started by %s's launcher", name);
}

// Where a rank runs.
typedef struct {
    char host[64];
    cpu_set_t processors; // that it may use
} rank_place;

// A processor that several ranks of a machine may use is divided among them.
static int share_of(const rank_place *mine, const rank_place *all, int count) {
    double share = 0;
    for (int p = 0; p < CPU_SETSIZE; p++) {
        int users = 0;
        if (!CPU_ISSET(p, &mine->processors)) continue;
        for (int r = 0; r < count; r++)
            users += strcmp(all[r].host, mine->host) == 0 && CPU_ISSET(p, &all[r].processors);
        share += 1.0 / users;
    }
    return share < 1 ? 1 : (int)(share + 1e-6);
}

// Unless the user has chosen.
static void divide_threads(int64_t threads) {
    const int count = gw_rank_count();
    if (threads > 0 || getenv("OMP_NUM_THREADS")) return;
    rank_place mine = {0}, *all = gw_alloc(count, sizeof *all);
    if (!all || sched_getaffinity(0, sizeof mine.processors, &mine.processors) != 0) gw_ranks_abort();
    gethostname(mine.host, sizeof mine.host - 1);
    gw_ranks_gather(&mine, sizeof mine, all);
    gw_set_threads(share_of(&mine, all, count));
    free(all);
}

// A process that was started alone, with variables of another launch, is alone in its MPI too.
static gw_status check_count(void) {
    const int launcher = find_launcher(), count = gw_rank_count(), rank = gw_launched_rank();
    const int64_t said = launcher >= 0 ? number_of(launchers[launcher].size, -1) : -1;
    stale = rank >= count || (said >= 0 && said != count);
    if (!stale) return GW_OK;
    return gw_fail(GW_ERR_MISMATCH,
                   "the environment variable %s is %d, but MPI has %d process%s: unset %s%s%s if no launcher started "
                   "this process; otherwise GODWIT_MPI must name the launcher's MPI",
                   launchers[launcher].rank, rank, count, count == 1 ? "" : "es", launchers[launcher].rank,
                   launchers[launcher].size ? " and " : "", launchers[launcher].size ? launchers[launcher].size : "");
}

gw_status gw_launch_join(const char *version, const char *command, int64_t threads) {
    const gw_transport *transport;
    gw_status status = check_variables();
    stale = status != GW_OK;
    if (status == GW_OK) {
        status = find_transport(command, &transport);
        // launchers tell their processes where to reach them
        const bool reached = getenv("PMIX_NAMESPACE") || getenv("PMI_FD") || getenv("PMI_PORT");
        stale = status != GW_OK && find_launcher() >= 0 && !reached;
    }
    if (status != GW_OK || !transport) return status;
    GW_TRY(gw_ranks_use(transport));
    if (find_launcher() >= 0) GW_TRY(check_count());
    if (gw_rank_count() == 1) return GW_OK;
    divide_threads(threads);
    const gw_backend *kernels = gw_kernels();
    GW_TRY(gw_ranks_agree(kernels ? GW_OK : GW_ERR_UNSUPPORTED));
    GW_TRY(gw_ranks_compare("the version of godwit", version));
    GW_TRY(gw_ranks_compare("the backend (GODWIT_BACKEND makes it the same everywhere)", kernels->name));
    return gw_ranks_compare("the command", command);
}

void gw_print_transports(FILE *out) {
    bool any = false;
    fprintf(out, "mpi:");
    for (int i = 0; i < LIBRARIES; i++) {
        const gw_transport *transport;
        char file[64], *path;
        snprintf(file, sizeof file, "libgodwit-mpi-%s.so", libraries[i]);
        if (gw_plugin_find(file, &path) != GW_OK) continue; // this build left it out
        free(path);
        const bool opened = open_mpi(libraries[i], &transport) == GW_OK;
        fprintf(out, "%s %s (%s)", any ? "," : "", libraries[i], opened ? transport->version() : gw_message());
        any = true;
    }
    fprintf(out, "%s\n", any ? "" : " this build left it out (make MPI=1)");
    const gw_transport *nccl; // where there is a CUDA plugin, which opens it
    char *plugin;
    if (gw_plugin_find(GW_PLUGIN_FILE, &plugin) != GW_OK) return;
    free(plugin);
    if (open_transport(GW_PLUGIN_FILE, &nccl) == GW_OK) fprintf(out, "nccl: %s\n", nccl->version());
}
