// SPDX-License-Identifier: MIT
// How a process learns that it is one of several: by the environment variables that launchers of MPI set.
//
//   OMPI_COMM_WORLD_SIZE, OMPI_COMM_WORLD_RANK   Open MPI's mpirun
//   PMI_SIZE, PMI_RANK                           MPICH's mpirun (Hydra), srun --mpi=pmi2
//   PMIX_NAMESPACE, PMIX_RANK                    srun --mpi=pmix: Open MPI, or whatever GODWIT_MPI names
//   WORLD_SIZE, RANK, MASTER_ADDR, MASTER_PORT   torchrun: NCCL in the CUDA plugin, where a GPU computes
#ifndef GW_RUN_LAUNCH_H
#define GW_RUN_LAUNCH_H

#include "base/status.h"

#include <stdint.h>
#include <stdio.h>

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
