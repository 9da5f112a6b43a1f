// SPDX-License-Identifier: MIT
// Ranks as processes of one machine, over memory that they share, for tests: what MPI carries is copied there.
#ifndef TESTS_UNIT_SHARED_RANKS_H
#define TESTS_UNIT_SHARED_RANKS_H

// Runs work(context) as each of `count` ranks, and fails where one of them does not return 0 or dies.
void run_on_ranks(int count, int (*work)(void *context), void *context);

#endif
