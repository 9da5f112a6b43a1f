// SPDX-License-Identifier: MIT
// godwit liftover: converts BED and VCF files between assemblies, with a chain file.
#include "base/log.h"
#include "seq/genome/regions.h"
#include "seq/lift/lift_bed.h"
#include "seq/lift/lift_vcf.h"
#include "tools/cli/cli.h"
#include "tools/cli/paths.h"

#include <stdlib.h>

typedef struct {
    const char *chain, *output, *unlifted, *fasta, *aliases;
    double min_match;
    bool multiple, vcf;
} liftover_arguments;

static const liftover_arguments defaults = {.min_match = 0.95};

#define FIELD(name) offsetof(liftover_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'c', "chain", "FILE", FIELD(chain), "chain file, from the old assembly to the new",
     .required = true},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "write here (default: stdout); BGZF where it ends in .gz",
     .writes = true},
    {GW_OPTION_STRING, 'u', "unmapped", "FILE", FIELD(unlifted), "records that are not lifted, with the reason",
     .writes = true},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta),
     "genome of the new assembly: its names are written; REF is checked against it"},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(aliases), "two columns: name in the input, name in the chain file"},
    {GW_OPTION_FLAG, 0, "vcf", NULL, FIELD(vcf), "lift a VCF; needs -f"},
    {GW_OPTION_GROUP, .help = "Regions"},
    {GW_OPTION_REAL, 0, "min-match", "SHARE", FIELD(min_match), "least share of bases that must be aligned", .min = 0,
     .max = 1},
    {GW_OPTION_FLAG, 0, "multiple", NULL, FIELD(multiple), "write regions that several chains align once for each"},
    {.help = NULL},
};

// A contradiction of names is the usual reason why little is lifted, so it is said under -q too.
static void warn_of_names(const gw_chains *chains, const char *input, const char *unknown, int64_t missing,
                          int64_t rows) {
    if (unknown && 2 * missing > rows)
        gw_warn("%lld of %lld records of %s lie on contigs that the chain file lacks, such as '%s'; it has '%s' and %d "
                "others: --chr-map gives names",
                (long long)missing, (long long)rows, input, unknown, gw_chains_source_name(chains, 0),
                gw_chains_sources(chains) - 1);
}

static gw_status lift_bed(const liftover_arguments *a, const gw_chains *chains, const gw_genome *genome,
                          const char *input) {
    const gw_lift_bed_options lift = {input, a->output, a->unlifted, a->min_match, a->multiple, genome};
    gw_lift_counts counts;
    const gw_status status = gw_lift_bed(chains, &lift, &counts);
    if (status == GW_OK) {
        gw_note("%lld regions, %lld written", (long long)counts.rows, (long long)counts.lifted);
        for (int i = GW_LIFT_NOCONTIG; i < GW_LIFT_RESULTS; i++)
            if (counts.results[i] > 0)
                gw_note("%lld: %s", (long long)counts.results[i], gw_lift_reason((gw_lift_result)i));
        if (counts.boundaries > 0)
            gw_note("%lld: Boundary problem: a block is deleted in new", (long long)counts.boundaries);
        gw_bed_warn_of_empty(input, counts.empty, counts.rows);
        warn_of_names(chains, input, counts.unknown, counts.results[GW_LIFT_NOCONTIG], counts.rows);
    }
    free(counts.unknown);
    return status;
}

static gw_status lift_vcf(const liftover_arguments *a, const gw_chains *chains, gw_genome *genome, const char *input) {
    const gw_lift_vcf_options lift = {input, a->output, a->unlifted, "godwit " GW_VERSION, gw_command_line()};
    gw_lift_vcf_counts counts;
    const gw_status status = gw_lift_vcf(chains, genome, &lift, &counts);
    if (status == GW_OK) {
        gw_note("%lld records, %lld written, %lld of them on the other strand", (long long)counts.records,
                (long long)counts.results[GW_LIFT_VCF_DONE], (long long)counts.flipped);
        for (int i = GW_LIFT_VCF_DONE + 1; i < GW_LIFT_VCF_RESULTS; i++)
            if (counts.results[i] > 0)
                gw_note("%lld %s", (long long)counts.results[i], gw_lift_vcf_reason((gw_lift_vcf_result)i));
        if (10 * counts.results[GW_LIFT_VCF_REFMISMATCH] > counts.records)
            gw_warn(
                "REF differs from the new assembly in %lld of %lld records: do chain, FASTA and VCF belong together?",
                (long long)counts.results[GW_LIFT_VCF_REFMISMATCH], (long long)counts.records);
        warn_of_names(chains, input, counts.unknown, counts.results[GW_LIFT_VCF_NOCONTIG], counts.records);
    }
    free(counts.unknown);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const liftover_arguments *a = arguments;
    const char *input = count > 0 ? operands[0] : "-";
    gw_chains *chains = NULL;
    gw_genome *genome = NULL;
    GW_TRY(gw_check_ending(a->output, a->vcf ? GW_VCF_ENDINGS : GW_BED_ENDINGS));
    GW_TRY(gw_check_ending(a->unlifted, a->vcf ? GW_VCF_ENDINGS : GW_BED_ENDINGS));
    if (a->vcf && !a->fasta) return gw_fail(GW_ERR_USAGE, "--vcf needs the genome of the new assembly: -f new.fa");
    gw_status status = gw_chains_read(a->chain, &chains);
    if (status == GW_OK && a->aliases) status = gw_chains_read_aliases(chains, a->aliases);
    if (status == GW_OK && a->fasta) status = gw_genome_open(a->fasta, &genome);
    if (status == GW_OK) status = a->vcf ? lift_vcf(a, chains, genome, input) : lift_bed(a, chains, genome, input);
    gw_genome_close(genome);
    gw_chains_free(chains);
    return status;
}

const gw_command gw_command_liftover = {
    .name = "liftover",
    .group = "Variants",
    .summary = "BED or VCF from one assembly to another, by a chain file",
    .usage = "-c old-to-new.chain.gz [options] [in.bed] > out.bed",
    .description =
        "A region is lifted if exactly one chain aligns --min-match of its bases (BED12: of its blocks). It then "
        "spans from the first aligned base to the last. On the other strand column 6 changes and blocks are "
        "reversed. -u gets the other regions, each below a line with its reason, in liftOver's words: Deleted in "
        "new, Partially deleted in new, Split in new, Duplicated in new.\n\n"
        "A VCF record (--vcf) is lifted if one chain aligns all bases of REF side by side. On the other strand "
        "alleles are complemented, indels are moved to their leftmost place, and INFO gets GW_FLIP. REF must be the "
        "base of the new assembly. INFO/END moves too, and ##contig lines become those of the new genome. -u gets "
        "the other records with INFO/GW_LIFT: NOCONTIG, DELETED, GAP (bases of REF are missing or come apart), "
        "DUPLICATED, NOTARGET (the FASTA lacks the contig), REFMISMATCH, SWAPPED (the new assembly has ALT), "
        "SYMBOLIC (on the other strand), BREAKEND, EDGE.\n\n"
        "The order is the input's: sort before indexing.",
    .examples = "godwit liftover -c hg38ToHg19.over.chain.gz -u lost.bed tss.hg38.bed > tss.hg19.bed\n"
                "godwit liftover --vcf -c hg19ToHg38.over.chain.gz -f hg38.fa in.vcf.gz | bcftools sort -Ob -o out.bcf",
    GW_COMMAND_TAKES(0, 1),
    .outputs_together = true,
    .run = run,
};
