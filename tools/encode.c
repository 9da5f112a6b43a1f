// SPDX-License-Identifier: MIT
// godwit encode: converts documents to token shards, or to ids as text.
#include "base/log.h"
#include "base/memory.h"
#include "base/output.h"
#include "base/string.h"
#include "data/documents.h"
#include "data/shards.h"
#include "text/tokenizer.h"
#include "tools/cli/cli.h"

#include <stdlib.h>

typedef struct {
    const char *tokenizer, *prefix, *column;
    bool keep_case;
} encode_arguments;

static const encode_arguments defaults = {0};

static const gw_option options[] = {
    {GW_OPTION_STRING, 'm', "model", "FILE", offsetof(encode_arguments, tokenizer),
     "tokenizer.json, or a model folder that holds one", .required = true},
    {GW_OPTION_STRING, 'o', "output", "PREFIX", offsetof(encode_arguments, prefix),
     "write PREFIX.bin, PREFIX.idx and PREFIX.tokenizer.json (default: ids as text to stdout)", .writes = true},
    {GW_OPTION_FLAG, 0, "keep-case", NULL, offsetof(encode_arguments, keep_case),
     "do not put bases in upper case for a DNA tokenizer made elsewhere that has no lower case"},
    {GW_OPTION_STRING, 0, "text", "COLUMN", offsetof(encode_arguments, column),
     "files are tables (TSV, CSV, JSONL): each row's text in this column is a document"},
    {.help = NULL},
};

static gw_status add_to_shards(void *context, const int32_t *tokens, int64_t count, bool first) {
    gw_shard_writer *writer = context;
    if (first) GW_TRY(gw_shard_writer_end_document(writer));
    return gw_shard_writer_add(writer, tokens, count);
}

typedef struct {
    gw_output output;
    gw_string line;
    bool begun;
} id_printer;

static gw_status print_ids(void *context, const int32_t *tokens, int64_t count, bool first) {
    id_printer *p = context;
    gw_string_clear(&p->line);
    if (first && p->begun) gw_string_putc(&p->line, '\n');
    for (int64_t i = 0; i < count; i++) gw_string_printf(&p->line, i ? " %d" : "%d", tokens[i]);
    gw_string_putc(&p->line, '\n');
    p->begun = true;
    GW_TRY(gw_string_status(&p->line));
    return gw_output_write(&p->output, p->line.data, p->line.length);
}

static gw_status encode_to_text(const gw_tokenizer *tokenizer, gw_documents *documents, bool keep_case,
                                gw_encoded_totals *totals) {
    id_printer printer = {0};
    GW_TRY(gw_output_open(&printer.output, NULL));
    const gw_token_sink sink = {print_ids, &printer};
    gw_status status = gw_encode_documents(tokenizer, documents, keep_case, &sink, totals);
    gw_string_free(&printer.line);
    if (status == GW_OK) return gw_output_close(&printer.output);
    gw_output_abandon(&printer.output);
    return status;
}

static gw_status encode_to_shards(const gw_tokenizer *tokenizer, gw_documents *documents, const encode_arguments *a,
                                  gw_encoded_totals *totals) {
    gw_shard_writer *writer;
    GW_TRY(gw_shard_writer_open(a->prefix, gw_tokenizer_size(tokenizer), &writer));
    const gw_token_sink sink = {add_to_shards, writer};
    gw_status status = gw_encode_documents(tokenizer, documents, a->keep_case, &sink, totals);
    if (status != GW_OK) {
        gw_shard_writer_abandon(writer);
        return status;
    }
    GW_TRY(gw_shard_writer_close(writer));
    char *path = gw_strprintf("%s.tokenizer.json", a->prefix);
    if (!path) return GW_ERR_MEMORY;
    status = gw_tokenizer_save(tokenizer, path);
    free(path);
    return status;
}

static gw_status run(void *arguments, char **operands, int count) {
    const encode_arguments *a = arguments;
    gw_tokenizer *tokenizer;
    gw_documents *documents = NULL;
    gw_encoded_totals totals;
    GW_TRY(gw_tokenizer_load(a->tokenizer, &tokenizer));
    gw_status status = gw_documents_open((const char *const *)operands, count, &documents);
    if (status == GW_OK && !gw_tokenizer_is_dna(tokenizer)) gw_documents_take_text(documents);
    if (status == GW_OK && a->column) gw_documents_take_column(documents, a->column);
    if (status == GW_OK)
        status = a->prefix ? encode_to_shards(tokenizer, documents, a, &totals)
                           : encode_to_text(tokenizer, documents, a->keep_case, &totals);
    if (status == GW_OK)
        gw_note("%lld documents, %lld sentences, %lld %s, %lld tokens, %.4f %s per token", (long long)totals.documents,
                (long long)totals.sentences, (long long)totals.bases,
                gw_tokenizer_is_dna(tokenizer) ? "bases" : "bytes", (long long)totals.tokens,
                (double)totals.bases / (double)totals.tokens, gw_tokenizer_is_dna(tokenizer) ? "bases" : "bytes");
    gw_documents_close(documents);
    gw_tokenizer_free(tokenizer);
    return status;
}

const gw_command gw_command_encode = {
    .name = "encode",
    .group = "Text",
    .summary = "turn documents into token shards",
    .usage = "-m tokenizer.json -o PREFIX [corpus.txt...]",
    .description =
        "Reads documents (one sentence a line, an empty line between documents; plain, gzip or BGZF; standard input "
        "where no file is named) and writes Megatron's indexed dataset: PREFIX.bin and PREFIX.idx, one sequence a "
        "sentence, without special tokens; and beside it PREFIX.tokenizer.json. Without -o the ids go to standard "
        "output, one sentence a line.\n\n"
        "With --text the files are tables: a document is the text of a row, a sentence a line of it. Pretraining cuts "
        "documents that are longer than a sequence into equal parts, and models without sentence pairs read short ones "
        "of text joined, [SEP] between two.",
    .examples = "godwit encode -m tokenizer.json -o train corpus.txt\n"
                "godwit encode -m roberta --text body -o news news.jsonl.gz",
    GW_COMMAND_TAKES(0, -1),
    .outputs_together = true,
    .run = run,
};
