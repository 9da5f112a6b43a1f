// SPDX-License-Identifier: MIT
// godwit mutate: writes every single-base change of a region as VCF.
#include "seq/vcf/mutate.h"
#include "base/log.h"
#include "seq/genes/genes.h"
#include "tools/cli/cli.h"
#include "tools/cli/paths.h"

#include <string.h>

typedef struct {
    const char *fasta, *output, *format, *chr_map, *genes;
    gw_region_choice choice;
} mutate_arguments;

static const mutate_arguments defaults = {0};

static const gw_option options[] = {
    {GW_OPTION_STRING, 'f', "fasta", "FILE", offsetof(mutate_arguments, fasta), "genome: plain or BGZF FASTA",
     .required = true},
    {GW_OPTION_STRING, 'r', "regions", "LIST", offsetof(mutate_arguments, choice.regions),
     "chr, chr:beg-end, gene:NAME (of --genes), ..."},
    {GW_OPTION_STRING, 'R', "regions-file", "BED", offsetof(mutate_arguments, choice.regions_file),
     "regions from a file"},
    {GW_OPTION_STRING, 't', "targets", "[^]LIST", offsetof(mutate_arguments, choice.targets),
     "leave out sequence outside these; with ^, inside them"},
    {GW_OPTION_STRING, 'T', "targets-file", "[^]BED", offsetof(mutate_arguments, choice.targets_file),
     "these from a file"},
    {GW_OPTION_STRING, 'o', "output", "FILE", offsetof(mutate_arguments, output), "write here (default: stdout)",
     .writes = true},
    {GW_OPTION_CHOICE, 'O', "output-type", "TYPE", offsetof(mutate_arguments, format),
     "v: VCF, z: BGZF-compressed VCF (default: by the name, .gz)", .choices = "v|z"},
    {GW_OPTION_STRING, 'g', "genes", "FILE", offsetof(mutate_arguments, genes),
     "GFF3, GTF or SGD's table, for gene:NAME in -r"},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", offsetof(mutate_arguments, chr_map),
     "TSV: another name, contig name; for the regions"},
    {.help = NULL},
};

static gw_status run(void *arguments, char **operands, int count) {
    mutate_arguments *a = arguments;
    const bool bgzf = a->format ? a->format[0] == 'z' : a->output && gw_has_suffix(a->output, ".gz");
    const gw_mutate_options mutate = {a->output, bgzf, "godwit " GW_VERSION, gw_command_line()};
    gw_genome *genome = NULL;
    gw_regions regions = {0};
    gw_string named = {0};
    gw_status status = GW_OK;
    int64_t records;
    (void)operands, (void)count;
    if (!a->format) GW_TRY(gw_check_ending(a->output, GW_VCF_ENDINGS));
    if (gw_region_choice_is_empty(&a->choice)) return gw_fail(GW_ERR_USAGE, "name the regions to mutate: -r or -R");
    GW_TRY_GOTO(status, gw_genome_open(a->fasta, &genome), done);
    if (a->chr_map) GW_TRY_GOTO(status, gw_genome_read_aliases(genome, a->chr_map), done);
    GW_TRY_GOTO(status, gw_place_genes(&a->choice.regions, a->genes, genome, &named), done);
    GW_TRY_GOTO(status, gw_regions_choose(&regions, genome, &a->choice), done);
    GW_TRY_GOTO(status, gw_mutate_write(genome, &regions, &mutate, &records), done);
    gw_note("%lld single-base changes", (long long)records);
done:
    gw_string_free(&named);
    gw_regions_free(&regions);
    gw_genome_close(genome);
    return status;
}

const gw_command gw_command_mutate = {
    .name = "mutate",
    .group = "Variants",
    .summary = "write every single-base change of a region as VCF",
    .usage = "-f ref.fa[.gz] -r chr:beg-end [options] > changes.vcf",
    .description = "Three records for every A, C, G and T of the regions, one for each other base, in the order of the "
                   "genome; other letters are skipped. Piped into `godwit score` this is saturation mutagenesis.",
    .examples =
        "godwit mutate -f genome.fa.gz -r chr1:1001-1200 -o changes.vcf.gz\n"
        "godwit mutate -f genome.fa.gz --genes genes.gff3.gz -r gene:BRCA1 -o changes.vcf.gz\n"
        "godwit mutate -f genome.fa.gz -r chr1:1001-1200 | godwit score -m model -f genome.fa.gz --map map.png -",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
};
