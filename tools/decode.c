// SPDX-License-Identifier: MIT
// godwit decode: converts token shards back to documents.
#include "base/memory.h"
#include "base/string.h"
#include "data/shards.h"
#include "file/lines.h"
#include "text/tokenizer.h"
#include "tools/cli/cli.h"

#include <stdlib.h>

typedef struct {
    const char *tokenizer, *output;
} decode_arguments;

static const decode_arguments defaults = {.output = "-"};

static const gw_option options[] = {
    {GW_OPTION_STRING, 'm', "model", "FILE", offsetof(decode_arguments, tokenizer),
     "tokenizer.json, or a model folder that holds one (default: PREFIX.tokenizer.json)"},
    {GW_OPTION_STRING, 'o', "output", "FILE", offsetof(decode_arguments, output),
     "write the text here; .gz is BGZF (-: stdout)", .writes = true, .endings = GW_TEXT_ENDINGS},
    {.help = NULL},
};

typedef struct {
    const gw_shards *shards;
    const gw_tokenizer *tokenizer;
    const char *prefix;
    gw_text_writer *writer;
    int32_t *tokens;
    int64_t capacity;
    gw_string line;
} decoder;

static gw_status write_sentence(decoder *d, int64_t sentence) {
    const int64_t count = gw_shards_sentence_length(d->shards, sentence);
    GW_TRY(gw_reserve(&d->tokens, &d->capacity, count, sizeof *d->tokens));
    gw_shards_read(d->shards, sentence, 0, count, d->tokens);
    gw_string_clear(&d->line);
    const gw_status status = gw_decode(d->tokenizer, d->tokens, count, &d->line);
    if (status != GW_OK) return gw_fail_in(status, "%s.bin: sentence %lld", d->prefix, (long long)sentence);
    gw_string_putc(&d->line, '\n');
    GW_TRY(gw_string_status(&d->line));
    return gw_writer_write(d->writer, d->line.data, d->line.length);
}

static gw_status run(void *arguments, char **operands, int count) {
    (void)count;
    const decode_arguments *a = arguments;
    const char *prefix = operands[0];
    gw_tokenizer *tokenizer = NULL;
    gw_shards *shards;
    GW_TRY(gw_shards_open(prefix, &shards));
    decoder d = {.shards = shards, .prefix = prefix};
    char *path = a->tokenizer ? gw_strdup(a->tokenizer) : gw_strprintf("%s.tokenizer.json", prefix);
    gw_status status = path ? gw_tokenizer_load(path, &tokenizer) : GW_ERR_MEMORY;
    free(path);
    d.tokenizer = tokenizer;
    if (status == GW_OK) status = gw_writer_open(a->output, &d.writer);
    for (int64_t i = 0, begin, end; status == GW_OK && i < gw_shards_documents(shards); i++) {
        gw_shards_document(shards, i, &begin, &end);
        if (i > 0) status = gw_writer_write(d.writer, "\n", 1);
        for (int64_t s = begin; s < end && status == GW_OK; s++) status = write_sentence(&d, s);
    }
    if (status == GW_OK) status = gw_writer_close(d.writer);
    else gw_writer_abandon(d.writer);
    free(d.tokens);
    gw_string_free(&d.line);
    gw_tokenizer_free(tokenizer);
    gw_shards_close(shards);
    return status;
}

const gw_command gw_command_decode = {
    .name = "decode",
    .group = "Text",
    .summary = "turn token shards back into documents",
    .usage = "[options] PREFIX",
    .description =
        "Writes the text of PREFIX.bin and PREFIX.idx: one sentence a line, an empty line between documents. "
        "What encoding normalised stays so: upper case, T for U, N for other IUPAC letters.",
    .examples = "godwit decode train | head",
    GW_COMMAND_TAKES(1, 1),
    .run = run,
};
