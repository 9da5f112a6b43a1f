// SPDX-License-Identifier: MIT
// The formats of tracks by suffix, and bedGraph: "contig begin end value" for each stretch that has a value, 0-based.
#include "seq/track/track.h"

#include "base/string.h"
#include "file/lines.h"

#include <math.h>
#include <string.h>

static bool ends_in(const char *path, const char *suffix) {
    const size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

bool gw_track_is_bigwig(const char *path) {
    return ends_in(path, ".bw") || ends_in(path, ".bigwig");
}

bool gw_track_is_named(const char *path) {
    return gw_track_is_bigwig(path) || ends_in(path, ".bedgraph") || ends_in(path, ".bedgraph.gz");
}

gw_status gw_track_check(const char *path) {
    if (!gw_track_is_named(path))
        return gw_fail(GW_ERR_UNSUPPORTED, "%s: a track is named .bw, .bigwig, .bedgraph or .bedgraph.gz", path);
    return gw_track_is_bigwig(path) ? gw_bigwig_check(path) : GW_OK;
}

static gw_status write_piece(gw_text_writer *out, const char *contig, const gw_track_piece *piece, gw_string *text) {
    gw_string_clear(text);
    for (int64_t i = 0; i < piece->count; i++) {
        const long long begin = piece->begin + i * piece->span, end = begin + piece->span;
        if (isnan(piece->values[i])) continue;
        gw_string_printf(text, "%s\t%lld\t%lld\t%.7g\n", contig, begin, end, (double)piece->values[i]);
    }
    GW_TRY(gw_string_status(text));
    return gw_writer_write(out, text->data, text->length);
}

static gw_status write_bedgraph(const char *path, const gw_genome *genome, const gw_track_piece *pieces,
                                int64_t count) {
    gw_text_writer *out;
    gw_string text = {0};
    GW_TRY(gw_writer_open(path, &out));
    gw_status status = GW_OK;
    for (int64_t i = 0; status == GW_OK && i < count; i++)
        status = write_piece(out, gw_genome_name(genome, pieces[i].contig), &pieces[i], &text);
    gw_string_free(&text);
    return gw_writers_close(status, out, NULL);
}

gw_status gw_track_write(const char *path, const gw_genome *genome, const gw_track_piece *pieces, int64_t count) {
    GW_TRY(gw_track_check(path));
    return (gw_track_is_bigwig(path) ? gw_bigwig_write : write_bedgraph)(path, genome, pieces, count);
}
