// SPDX-License-Identifier: MIT
// godwit profiles: makes a set of genome bins, labelled by the peaks of many targets.
#include "base/log.h"
#include "label/profile_set.h"
#include "tools/cli/cli.h"
#include "tools/shared_options.h"

typedef struct {
    gw_profile_set_options of;
    const char *fasta, *prefix, *aliases, *preset;
    enum { TARGETS_ARE_FILES, TARGETS_ARE_NAMES } target_from;
    gw_held_out_arguments held_out;
    int64_t context;
} profiles_arguments;

static const profiles_arguments defaults = {.of.bin = 200};

#define FIELD(name) offsetof(profiles_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Input and output"},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(fasta), "reference genome (FASTA, plain or BGZF)", .required = true},
    {GW_OPTION_STRING, 'o', "output", "PREFIX", FIELD(prefix), "writes PREFIX.bed.gz, .labels, .names.tsv and .json",
     .required = true, .writes = true},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(aliases), "two columns: name in the BED, name in the genome"},
    {GW_OPTION_NAMED, 0, "target-from", "WHAT", FIELD(target_from), "a target is a file, or a name in column 4",
     .choices = "file|column4"},
    {GW_OPTION_GROUP, .help = "Bins and labels"},
    {GW_OPTION_INT, 0, "bin", "BP", FIELD(of.bin), "size of a bin; bins start at its multiples", .min = 1, .max = 1e9},
    {GW_OPTION_INT, 0, "window", "BP", FIELD(of.window), "window centred on the bin (0: 1000, or the preset's)",
     .min = 0, .max = 1e9},
    {GW_OPTION_INT, 0, "context", "BP", FIELD(context),
     "bases on either side of the bin, instead of --window (8000: BigBird's Figure 9)", .min = 0, .max = 1e9},
    {GW_OPTION_NAMED, 0, "label", "RULE", FIELD(of.rule),
     "a bin is positive where merged peaks cover half of it, or where a peak's midpoint or summit lies in it",
     .choices = "overlap|midpoint|summit"},
    {GW_OPTION_CHOICE, 0, "preset", "NAME", FIELD(preset),
     "deepsea: overlap means more than half; windows of 8000 bp, chr8 and chr9 for testing, "
     "chr7:30508751-35296850 for validation where nothing else is said",
     .choices = "deepsea"},
    {GW_OPTION_NAMED, 0, "bins", "WHICH", FIELD(of.bins), "all bins, or those with at least one label",
     .choices = "all|labelled"},
    GW_OPTION_ROWS_HELD_OUT(FIELD(held_out)),
    {.help = NULL},
};

static gw_status run(void *arguments, char **operands, int count) {
    profiles_arguments *a = arguments;
    const gw_profile_set_options *set = &a->of;
    if (a->context > 0 && a->of.window > 0) return gw_fail(GW_ERR_USAGE, "give either --context or --window, not both");
    // BigBird's appendix F.3 on DeepSEA's data.
    if (a->context > 0) a->of.window = a->of.bin + 2 * a->context;
    a->of.majority = a->preset != NULL;
    if (a->preset) {
        if (a->of.window == 0) a->of.window = 8000;
        gw_held_out_arguments *held_out = &a->held_out;
        if (!held_out->test && !held_out->valid)
            held_out->test = "chr8,chr9", held_out->valid = "chr7:30508751-35296850";
    }
    if (a->of.window == 0) a->of.window = 1000;
    a->of.command = gw_command_line();
    if (set->majority && set->rule != GW_LABEL_OVERLAP)
        return gw_fail(GW_ERR_USAGE, "--preset deepsea goes with --label overlap, not %s",
                       gw_label_rule_names[set->rule]);
    if (a->of.window < a->of.bin) return gw_fail(GW_ERR_USAGE, "--window must be at least --bin");
    gw_genome *genome = NULL;
    gw_held_out held_out = {0};
    gw_peaks peaks = {0};
    gw_profile_counts counts;
    gw_status status = gw_genome_open(a->fasta, &genome);
    if (status == GW_OK && a->aliases) status = gw_genome_read_aliases(genome, a->aliases);
    if (status == GW_OK) status = gw_held_out_of(&a->held_out, genome, &held_out);
    if (status == GW_OK)
        status = gw_peaks_read(&peaks, genome, operands, count, set->rule, a->target_from == TARGETS_ARE_NAMES);
    if (status == GW_OK) status = gw_profile_set_write(genome, &peaks, &held_out, set, a->prefix, &counts);
    if (status == GW_OK) {
        gw_note("%lld peaks of %d targets; %lld bins for training, %lld for validation, %lld for testing",
                (long long)peaks.count, (int)peaks.targets, (long long)counts.bins[GW_SPLIT_TRAIN],
                (long long)counts.bins[GW_SPLIT_VALID], (long long)counts.bins[GW_SPLIT_TEST]);
        if (counts.off_contig > 0)
            gw_note("%lld windows leave their contig and were dropped", (long long)counts.off_contig);
        if (counts.touching > 0)
            gw_note("%lld windows touch held-out or excluded sequence and were dropped", (long long)counts.touching);
        if (counts.duplicates > 0)
            gw_note("%lld windows also occur in another split and were dropped", (long long)counts.duplicates);
        if (counts.unlabelled > 0) gw_note("%lld bins have no label and were dropped", (long long)counts.unlabelled);
    }
    if (status == GW_OK && peaks.empty > 0) gw_warn("%lld peaks of 0 bp were left out", (long long)peaks.empty);
    gw_peaks_free(&peaks);
    gw_held_out_free(&held_out);
    gw_genome_close(genome);
    return status;
}

const gw_command gw_command_profiles = {
    .name = "profiles",
    .group = "Labelled sets",
    .summary = "make a profile set (many labels a bin) from peaks",
    .usage = "-f ref.fa -o PREFIX [options] peaks.bed...",
    .description =
        "Cuts every contig into bins and writes the window around each bin and its targets. --label alone decides "
        "how a peak labels a bin; the width of peaks does not. `summit` reads column 10 (narrowPeak).\n\n"
        "With --test or --valid the fourth column of PREFIX.bed.gz is train, valid or test. A bin is held out if "
        "its middle lies in the named contigs or regions (chr or chr:beg-end, comma separated). Training windows "
        "that touch them are dropped, and so are windows whose sequence also occurs, on either strand, at a bin "
        "held out from their part. finetune and eval read their part by this column.",
    .examples = "godwit profiles -f yeast.fa.gz --label midpoint --target-from column4 --test VII,XIII --valid XI "
                "--exclude Mito -o yeast peaks.bed.gz",
    GW_COMMAND_TAKES(1, -1),
    .outputs_together = true,
    .run = run,
};
