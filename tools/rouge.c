// SPDX-License-Identifier: MIT
// godwit rouge: compares texts with references.
#include "language/rouge.h"
#include "file/lines.h"
#include "tools/cli/cli.h"

typedef struct {
    const char *references, *output, *per_pair;
    int64_t samples, seed;
} rouge_arguments;

static const rouge_arguments defaults = {.samples = 1000, .seed = 1};

#define FIELD(name) offsetof(rouge_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_STRING, 'r', "references", "FILE", FIELD(references), "references, a line each", .required = true},
    {GW_OPTION_STRING, 'o', "output", "FILE", FIELD(output), "table to write (standard output)", .writes = true,
     .endings = GW_TABLE_ENDINGS},
    {GW_OPTION_STRING, 0, "per-pair", "FILE", FIELD(per_pair), "table with a row for each pair of lines",
     .writes = true, .endings = GW_TABLE_ENDINGS},
    {GW_OPTION_INT, 0, "samples", "N", FIELD(samples), "samples of the bootstrap intervals", .min = 1, .max = 1e7},
    {GW_OPTION_INT, 0, "seed", "N", FIELD(seed), "seed of the samples", .min = 0, .max = 9e15},
    {.help = NULL},
};

static gw_status run(void *arguments, char **operands, int count) {
    const rouge_arguments *a = arguments;
    gw_rouge_summary summary;
    gw_text_writer *out;
    (void)count;
    GW_TRY(gw_rouge_files(a->references, operands[0], a->per_pair, a->samples, (uint64_t)a->seed, &summary));
    GW_TRY(gw_writer_open(a->output, &out));
    gw_status status = gw_writer_printf(out, "metric\tpairs\tprecision\trecall\tf1\tf1_low\tf1_high\n");
    for (int k = 0; k < GW_ROUGES && status == GW_OK; k++)
        status = gw_writer_printf(out, "%s\t%lld\t%.6f\t%.6f\t%.6f\t%.6f\t%.6f\n", gw_rouge_names[k],
                                  (long long)summary.pairs, summary.mean[k].precision, summary.mean[k].recall,
                                  summary.mean[k].f1, summary.f1[k].low, summary.f1[k].high);
    return gw_writers_close(status, out, NULL);
}

const gw_command gw_command_rouge = {
    .name = "rouge",
    .group = "Text",
    .summary = "ROUGE of texts, such as summaries, against references",
    .usage = "-r references.txt [options] texts.txt",
    .description =
        "Compares line by line and writes the means of precision, recall and F1 over all pairs of lines, and the 95 % "
        "bootstrap interval of F1: ROUGE-1, ROUGE-2, ROUGE-L and ROUGE-Lsum with Porter's stemmer, as the package "
        "rouge-score 0.1.2 computes them. Words are runs of a to z and digits, case aside. For ROUGE-Lsum \"<n>\" ends "
        "a sentence. An empty line is a text without words.",
    .examples = "godwit generate -m model articles.txt > summaries.txt\n"
                "godwit rouge -r abstracts.txt summaries.txt",
    GW_COMMAND_TAKES(1, 1),
    .run = run,
};
