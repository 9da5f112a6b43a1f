// SPDX-License-Identifier: MIT
// The program godwit-theory: the papers' proofs as programs, one command for each construction
// (docs/background/theory.md).
#include "tools/cli/program.h"

#include <gmp.h>
#include <lapacke.h>

extern const gw_command gw_theory_context, gw_theory_turing, gw_theory_furthest, gw_theory_flex, gw_theory_approximator;

static const gw_command *const commands[] = {
    &gw_theory_context, &gw_theory_turing, &gw_theory_furthest, &gw_theory_flex, &gw_theory_approximator,
};

static void print_version(FILE *out) {
    int major, minor, patch;
    LAPACKE_ilaver(&major, &minor, &patch);
    fprintf(out, "godwit-theory %s\ngmp %s\nlapack %d.%d.%d\n", GW_VERSION, gmp_version, major, minor, patch);
}

static const gw_program_description program = {
    .name = "godwit-theory",
    .summary = "the papers' proofs as programs",
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
    .print_version = print_version,
};

int main(int argc, char **argv) {
    return gw_program_main(&program, argc, argv);
}
