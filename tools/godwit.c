// SPDX-License-Identifier: MIT
// The program godwit: its name and its commands.
#include "file/input.h"
#include "file/table_writer.h"
#include "kernels/cpu/matmul/onednn_version.h"
#include "run/ranks.h"
#include "tools/cli/cli.h"
#include "tools/cli/device.h"
#include "tools/cli/program.h"

#include <jansson.h>

#define GW_COMMAND(name) extern const gw_command gw_command_##name;
#include "tools/commands.def"
#undef GW_COMMAND

static const gw_command *const commands[] = {
#define GW_COMMAND(name) &gw_command_##name,
#include "tools/commands.def"
#undef GW_COMMAND
};

static void print_version(FILE *out) {
    fprintf(out, "godwit %s\nhtslib %s\nonednn %s\njansson %s\n", GW_VERSION, gw_htslib_version(), gw_onednn_version(),
            jansson_version_str());
    gw_print_devices(out);
    gw_print_transports(out);
    gw_print_parquet(out);
}

static const gw_program_description program = {
    .name = "godwit",
    .summary = "from genomes to sparse-attention models and scored variants",
    .start = "godwit score -m yeast -f genome.fa.gz calls.vcf.gz -o scored.vcf.gz\n"
             "            ('godwit models' lists the models that have a name; any other is a folder)",
    .commands = commands,
    .command_count = sizeof commands / sizeof commands[0],
    .print_version = print_version,
};

int main(int argc, char **argv) {
    return gw_program_main(&program, argc, argv);
}
