// SPDX-License-Identifier: MIT
// Ranks as processes of one machine over shared memory, for tests: copies replace MPI's messages.
#ifndef TESTS_UNIT_SHARED_RANKS_H
#define TESTS_UNIT_SHARED_RANKS_H

// Runs work(context) as each of `count` ranks. Fails if one of them returns other than 0 or dies.
void run_on_ranks(int count, int (*work)(void *context), void *context);

#endif
