// SPDX-License-Identifier: MIT
// Ranks: processes, on one machine or many, that train one model together. Each computes a slice of every step's
// examples and adds up gradients with the others (run/step.h); rank 0 alone writes files and messages.
//
// A process that was started alone is rank 0 of 1, and every call here is nothing to it. Where a launcher started
// several, all make the same calls in the same order. What may fail on one rank alone is followed by
// gw_ranks_agree(), so that all stop together, with one message.
#ifndef GW_RUN_RANKS_H
#define GW_RUN_RANKS_H

#include "base/status.h"
#include "base/transport.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

int gw_rank(void);           // 0 .. gw_rank_count() - 1
int gw_rank_count(void);     // 1: alone
bool gw_is_first_rank(void); // which writes

// Joins the other ranks by a transport, which outlives them; and leaves them, once all have come to their end.
gw_status gw_ranks_use(const gw_transport *transport) GW_MUST_CHECK;
void gw_ranks_end(void);

// The failure of the first rank that has one, with its message, on all of them; interruptions come after other
// failures. The first failure parts the ranks: from then on this returns what it is given, and nothing is exchanged any
// more. So a rank that fails need only come to its end and say so here, where it meets the others at whatever they
// agree on next; what they exchange comes after such a meeting.
gw_status gw_ranks_agree(gw_status status) GW_MUST_CHECK;
// The text of rank 0, to be freed. A meeting as gw_ranks_agree() is.
gw_status gw_ranks_text(const char *mine, char **first) GW_MUST_CHECK;
// Fails on all ranks where one has another text than rank 0; `what` says of what: "the command". A meeting.
gw_status gw_ranks_compare(const char *what, const char *text) GW_MUST_CHECK;

void gw_ranks_broadcast(void *bytes, int64_t count); // of rank 0
// all [ranks][bytes], in order of ranks
void gw_ranks_gather(const void *mine, int64_t bytes, void *all);
// As gw_transport has it; of several ranks alone.
void gw_ranks_trade(const void *out, const int64_t *out_at, void *in, const int64_t *in_at);
void gw_ranks_sum(float *numbers, int64_t count);
bool gw_ranks_sum_device(void); // whether that takes memory of the device, after gw_ranks_mark()
void gw_ranks_mark(void);
// The whole job ends, since this rank cannot go on with the others.
_Noreturn void gw_ranks_abort(void);

// How a process learns that it is one of several: by the environment variables that launchers of MPI set.
//
//   OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_RANK   Open MPI's mpirun
//   PMI_SIZE, PMI_RANK                           MPICH's mpirun (Hydra), srun --mpi=pmi2
//   PMIX_NAMESPACE, PMIX_RANK                    srun --mpi=pmix: Open MPI, or whatever GODWIT_MPI names
//   WORLD_SIZE, RANK, MASTER_ADDR, MASTER_PORT   torchrun: NCCL in the CUDA plugin, where a GPU computes

// The number of this process among those that the launcher has started on this machine, 0 where there is none: the GPU
// to take.
int gw_launched_local_rank(void);
// The rank that the launcher has given this process, 0 where there is none or where gw_launch_join() has refused it;
// known before ranks have met.
int gw_launched_rank(void);

// Joins the ranks of the launch, where there are several: opens the plugin of the launcher's MPI (GODWIT_MPI=openmpi or
// mpich: of that one), divides the processors of a machine among its ranks unless threads were chosen, and refuses
// ranks of other versions, backends or commands than rank 0's. The backend is chosen before: torchrun's variables,
// which are for GPUs, are refused on the processor with the command to use instead.
// Refuses variables that are no numbers, that do not fit together, or whose launch is not this process's.
gw_status gw_launch_join(const char *version, const char *command, int64_t threads) GW_MUST_CHECK;
void gw_print_transports(FILE *out); // lines for --version

#endif
