// SPDX-License-Identifier: MIT
// Ranks: processes, on one machine or several, that train one model together. Each rank computes a part of every step's
// examples and adds gradients with the others (run/step.h). Only rank 0 writes files and messages.
//
// A process that was started alone is rank 0 of 1, and these calls do nothing. If a launcher started several processes,
// all make the same calls in the same order. After work that may fail on one rank only, all call gw_ranks_agree(), so
// that they stop together with one message.
#ifndef GW_RUN_RANKS_H
#define GW_RUN_RANKS_H

#include "base/status.h"
#include "base/transport.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

int gw_rank(void);           // 0 .. gw_rank_count() - 1
int gw_rank_count(void);     // 1: alone
bool gw_is_first_rank(void); // the rank that writes

// use: joins the other ranks through a transport, which must outlive them. end: leaves them after all have finished.
gw_status gw_ranks_use(const gw_transport *transport) GW_MUST_CHECK;
void gw_ranks_end(void);

// Returns on all ranks the failure of the first rank that has one, with its message; interruptions come after other
// failures. After the first failure the ranks are separate: further calls return their argument, and nothing is
// exchanged. A rank that fails therefore only needs to reach its end and call this, while the others reach their next
// call. All exchanges of data must follow such a call.
gw_status gw_ranks_agree(gw_status status) GW_MUST_CHECK;
// The text of rank 0, to be freed. Meets the other ranks like gw_ranks_agree().
gw_status gw_ranks_text(const char *mine, char **first) GW_MUST_CHECK;
// Fails on all ranks if a rank has another text than rank 0. `what` names the text: "the command". Meets the other
// ranks too.
gw_status gw_ranks_compare(const char *what, const char *text) GW_MUST_CHECK;

void gw_ranks_broadcast(void *bytes, int64_t count); // sends the bytes of rank 0 to all ranks
// all [ranks][bytes], in order of ranks
void gw_ranks_gather(const void *mine, int64_t bytes, void *all);
// As in gw_transport; only with several ranks.
void gw_ranks_trade(const void *out, const int64_t *out_at, void *in, const int64_t *in_at);
void gw_ranks_sum(float *numbers, int64_t count);
bool gw_ranks_sum_device(void); // whether gw_ranks_sum() takes device memory, after gw_ranks_mark()
void gw_ranks_mark(void);
// Ends the whole job, because this rank cannot continue with the others.
_Noreturn void gw_ranks_abort(void);

// How a process learns that it is one of several: environment variables that launchers set.
//
//   OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_RANK   Open MPI's mpirun
//   PMI_SIZE, PMI_RANK                           MPICH's mpirun (Hydra), srun --mpi=pmi2
//   PMIX_NAMESPACE, PMIX_RANK                    srun --mpi=pmix: Open MPI, or the MPI of GODWIT_MPI
//   WORLD_SIZE, RANK, MASTER_ADDR, MASTER_PORT   torchrun: NCCL in the CUDA plugin, for computing on GPUs

// The number of this process among those of the launcher on this machine: the GPU to take. 0 without a launcher.
int gw_launched_local_rank(void);
// The rank that the launcher has given to this process, known before the ranks meet. 0 without a launcher, and after
// gw_launch_join() has refused it.
int gw_launched_rank(void);

// Joins the ranks of a launch with several processes. Opens the plugin of the launcher's MPI (GODWIT_MPI=openmpi or
// mpich: of this MPI). Divides a machine's processors among its ranks unless the number of threads was given. Fails if
// ranks differ from rank 0 in version, backend or command. The backend must be chosen before. torchrun's variables are
// for GPUs: on the processor they are an error that names the command to use. Variables that are not numbers,
// contradict each other, or belong to another process's launch are errors.
gw_status gw_launch_join(const char *version, const char *command, int64_t threads) GW_MUST_CHECK;
void gw_print_transports(FILE *out); // lines for --version

#endif
