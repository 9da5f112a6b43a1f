// SPDX-License-Identifier: MIT
// godwit serve: keeps a model loaded and answers requests about variants.
#include "serve/service.h"
#include "tools/shared_options.h"

typedef struct {
    gw_variant_arguments of;
    const char *socket, *genes;
    int64_t most_variants, most_bytes, most_answer, write_wait;
} serve_arguments;

static const serve_arguments defaults = {
    .most_variants = 10000, .most_bytes = 1 << 20, .most_answer = 1 << 26, .write_wait = 10};

#define FIELD(name) offsetof(serve_arguments, name)
static const gw_option options[] = {
    {GW_OPTION_GROUP, .help = "Model and genome"},
    {GW_OPTION_STRING, 'm', "model", "FOLDER", FIELD(of.score.model_folder), "fine-tuned or pretrained model",
     .required = true},
    {GW_OPTION_STRING, 'f', "fasta", "FILE", FIELD(of.fasta), "reference genome: plain or BGZF FASTA",
     .required = true},
    {GW_OPTION_STRING, 0, "chr-map", "FILE", FIELD(of.chr_map), "TSV: another name, contig name in the genome"},
    {GW_OPTION_STRING, 'g', "genes", "FILE", FIELD(genes),
     "GFF3, GTF or SGD's table: transcripts that variants may be written on (NM_007294.4:c.68-7T>A)"},
    {GW_OPTION_GROUP, .help = "Requests"},
    {GW_OPTION_STRING, 0, "socket", "PATH", FIELD(socket), "Unix socket to listen at (standard input and output)",
     .writes = true},
    {GW_OPTION_INT, 0, "most-variants", "N", FIELD(most_variants), "variants a request", .min = 1, .max = 1e7},
    {GW_OPTION_INT, 0, "most-bytes", "N", FIELD(most_bytes), "bytes a request", .min = 100, .max = 1e9},
    {GW_OPTION_INT, 0, "most-answer", "N", FIELD(most_answer), "bytes an answer", .min = 100, .max = 1e10},
    {GW_OPTION_INT, 0, "write-wait", "S", FIELD(write_wait),
     "seconds after which a client that does not read its answers is disconnected", .min = 1, .max = 1e6},
    {GW_OPTION_GROUP, .help = "Scoring"},
    GW_OPTION_ROWS_SCORED_WINDOWS(FIELD(of)),
    {.help = NULL},
};

static gw_status run(void *arguments, char **operands, int count) {
    const serve_arguments *a = arguments;
    (void)operands, (void)count;
    gw_gene_models transcripts = {0};
    const gw_answerer_options answering = {.scoring = &a->of.score,
                                           .most_variants = a->most_variants,
                                           .most_answer = a->most_answer,
                                           .transcripts = a->genes ? &transcripts : NULL};
    const gw_service_options service = {.socket = a->socket, .most_bytes = a->most_bytes, .write_wait = a->write_wait};
    gw_answerer *answerer = NULL;
    gw_model *model;
    gw_genome *genome;
    gw_status status = gw_variants_open(&a->of, &model, &genome);
    if (status == GW_OK && a->genes) status = gw_transcripts_read(a->genes, genome, &transcripts);
    if (status == GW_OK) status = gw_answerer_new(model, genome, &answering, &answerer);
    if (status == GW_OK) status = gw_service_run(answerer, &service);
    gw_answerer_free(answerer);
    gw_gene_models_free(&transcripts);
    gw_genome_close(genome);
    gw_model_free(model);
    return status;
}

const gw_command gw_command_serve = {
    .name = "serve",
    .group = "Variants",
    .summary = "answer questions about variants by a model that stays loaded",
    .usage = "-m FOLDER -f ref.fa [--socket PATH] [options]",
    .description =
        "Reads requests and writes answers, one line of JSON each: from standard input, in order, until it ends; or "
        "from clients of a Unix socket, until the program is stopped. Only the same user may connect.\n\n"
        "{\"id\": 1, \"variants\": [\"chr17:43045711:G:A\", \"chr17:g.43045712del\"]} asks for variants in the forms "
        "of `score --variants`. {\"id\": 2, \"region\": \"chr17:43045701-43045720\"} asks for every single-base change "
        "of a region. The answer has the id as it was written (any JSON value), a status, and for ok a list of results "
        "in the order of the request. Each result has its status, as in GW_STATUS, or UNREAD with a message, and "
        "the values of score: llr; or diff, logit, mean, pref, palt, top and profile.\n\n"
        "Other statuses: bad-request; too-large (more variants or bytes than --most-variants and --most-bytes "
        "allow, or a longer answer than --most-answer); busy (64 clients are connected); failed. None of them ends "
        "the service. Variants of all waiting requests are scored together in batches with equal shares. Answers to "
        "one client keep the order of its requests.\n\n" GW_INFERENCE_HELP,
    .examples = "echo '{\"id\": 1, \"variants\": [\"II:1005:A:G\"]}' | godwit serve -m yeast -f genome.fa.gz\n"
                "godwit serve -m yeast -f genome.fa.gz --socket /tmp/godwit.socket",
    GW_COMMAND_TAKES(0, 0),
    .run = run,
};
