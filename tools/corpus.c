// SPDX-License-Identifier: MIT
// godwit corpus: converts a genome to documents.
#include "data/corpus.h"
#include "base/log.h"
#include "tools/cli/cli.h"

#include <string.h>

static const gw_corpus_options defaults = {
    .cut = {.repeats = 10, .sentences = {50, 100}, .sentence_length = {500, 1000}, .max_offset = 5000, .seed = 1}};

#define AT(field) offsetof(gw_corpus_options, field)
static const gw_option options[] = {
    {GW_OPTION_STRING, 'f', "fasta", "FILE", AT(fasta), "genome: FASTA, plain, gzip or BGZF; - is standard input",
     .required = true},
    {GW_OPTION_STRING, 'o', "output", "FILE", AT(output),
     "write here; BGZF where the name ends in .gz (default: stdout)", .writes = true, .endings = GW_TEXT_ENDINGS},
    {GW_OPTION_STRING, 0, "positions", "FILE", AT(positions),
     "write where each sentence came from: BED6, named by its number from 0", .writes = true,
     .endings = GW_BED_ENDINGS},
    {GW_OPTION_GROUP, .help = "Documents"},
    {GW_OPTION_INT, 'n', "repeats", "N", AT(cut.repeats), "passes over each contig", .min = 1, .max = 32767},
    {GW_OPTION_RANGE, 0, "sentences", "MIN-MAX", AT(cut.sentences), "sentences of a document", .min = 1, .max = 1e9},
    {GW_OPTION_RANGE, 0, "sentence-length", "MIN-MAX", AT(cut.sentence_length), "bases of a sentence", .min = 1,
     .max = 1e9},
    {GW_OPTION_INT, 0, "max-offset", "N", AT(cut.max_offset), "a pass starts at a random base of the first N + 1",
     .min = 0, .max = 4e9},
    {GW_OPTION_FLAG, 0, "both-strands", NULL, AT(cut.both_strands), "after each pass one over the reverse complement"},
    {GW_OPTION_INT, 0, "seed", "N", AT(cut.seed), "of all random draws", .min = 0, .max = 9e15},
    {GW_OPTION_GROUP, .help = "Which sequence"},
    {GW_OPTION_STRING, 'r', "regions", "LIST", AT(regions), "chr, chr:beg-end, ...: each counts as a contig"},
    {GW_OPTION_STRING, 'R', "regions-file", "BED", AT(regions_file), "the same from a file"},
    {GW_OPTION_STRING, 't', "targets", "[^]LIST", AT(targets), "leave out sequence outside these; with ^, inside them"},
    {GW_OPTION_STRING, 'T', "targets-file", "[^]BED", AT(targets_file), "the same from a file"},
    {GW_OPTION_STRING, 0, "exclude", "LIST", AT(exclude), "contigs to leave out, by exact name; needs no index"},
    {GW_OPTION_INT, 0, "min-contig", "N", AT(min_contig), "leave out contigs and regions shorter than N bp", .min = 0,
     .max = 4e9},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", AT(chr_map), "TSV: another name, contig name; for -r, -R, -t and -T"},
    {.help = NULL},
};

static gw_status run(void *arguments, char **operands, int count) {
    const gw_corpus_options *o = arguments;
    gw_corpus_counts counts;
    (void)operands, (void)count;
    if (o->positions && strcmp(o->positions, "-") == 0)
        return gw_fail(GW_ERR_USAGE, "--positions needs a file: standard output is for the documents");
    GW_TRY(gw_corpus_write(o, &counts));
    if (counts.sentences == 0) gw_warn("no documents: every contig ends before its first sentence starts");
    gw_note("%lld contigs or regions, %lld documents, %lld sentences, %lld bases", (long long)counts.contigs,
            (long long)counts.documents, (long long)counts.sentences, (long long)counts.bases);
    return GW_OK;
}

const gw_command gw_command_corpus = {
    .name = "corpus",
    .group = "Text",
    .summary = "cut a genome into documents of sentences",
    .usage = "-f ref.fa[.gz] [options] > corpus.txt",
    .description =
        "For each contig, and again for each repeat, the first document begins at a random base, and documents "
        "follow each other until the contig ends. Each has a random number of sentences of random length. The "
        "output has one sentence a line and an empty line between documents. Letters are upper-cased; letters other "
        "than A, C, G and T become N. A run of more than 10 N ends a document.\n\n"
        "The same seed gives the same bytes for the same sequence, from plain or compressed FASTA, with or without "
        "an index, or from standard input. One contig at a time is held in memory.\n\n"
        "-t ^LIST or --exclude leaves out sequence that is held out for evaluation before documents are made. -r, "
        "-R, -t and -T need random access: a plain or BGZF file.",
    .examples =
        "godwit corpus -f genome.fa.gz -t ^VII,XIII -o train.txt\n"
        "godwit corpus -f genome.fa.gz -t VII,XIII -n 1 --max-offset 0 -o test.txt\n"
        "zcat genome.fa.gz | godwit corpus -f - --exclude MT --both-strands --positions sentences.bed.gz > all.txt",
    GW_COMMAND_TAKES(0, 0),
    .outputs_together = true,
    .run = run,
};
