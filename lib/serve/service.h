// SPDX-License-Identifier: MIT
// A loop that answers the lines of requests of standard input, or of those who connect to a socket, side by side.
#ifndef GW_SERVE_SERVICE_H
#define GW_SERVE_SERVICE_H

#include "base/string.h"
#include "score/allele_scorer.h"
#include "seq/genes/gene_models.h"

// answer.c: questions about variants and their answers, a line of JSON each.
//
//   {"id": 1, "variants": ["chr17:43045711:G:A", "chr17:g.43045712del"]}   what seq/vcf/variant_text.h reads
//   {"id": 2, "region": "chr17:43045701-43045720"}                         every single-base change
//
//   {"id": 1, "status": "ok", "results": [{"variant": "chr17:43045711:G:A", "status": "PASS", "contig": "chr17",
//    "position": 43045711, "ref": "G", "alt": "A", "llr": -3.25}, ...]}
//   {"id": 2, "status": "bad-request", "message": "..."}
//
// id may be anything and comes back as it was written. A variant that cannot be read has the status UNREAD and a
// message; one that is read has that of GW_STATUS, and values where it is scored: llr of a pretrained model; diff,
// logit, mean, pref, palt and top, the profile's index, with its name as profile, of a fine-tuned one. They are those
// of `godwit score`.

typedef struct gw_answerer gw_answerer;

typedef struct {
    const gw_score_options *scoring;
    int64_t most_variants;             // of a request
    int64_t most_answer;               // bytes
    const gw_gene_models *transcripts; // gw_transcripts_read(), for HGVS of c. and n.; NULL: that is not read
} gw_answerer_options;

// Borrows everything.
gw_status gw_answerer_new(gw_model *model, gw_genome *genome, const gw_answerer_options *options,
                          gw_answerer **out) GW_MUST_CHECK;
void gw_answerer_free(gw_answerer *answerer); // NULL is fine

// A request on its way to its answer.
typedef struct gw_request gw_request;

// Reads a line. Whatever it holds there will be an answer: bad-request (not what is said above), too-large (more
// variants than a request, or more bytes than an answer may have) or failed (the model or the genome could not be read
// or run). An error of these functions is what ends a service: memory, or an interruption.
gw_status gw_request_new(gw_answerer *answerer, const char *line, int64_t length, gw_request **out) GW_MUST_CHECK;
void gw_request_free(gw_request *request); // NULL is fine
bool gw_request_is_done(const gw_request *request);
// Scores a batch of the requests' variants, an equal share of each; what one does not need is the others'.
gw_status gw_requests_score(gw_answerer *answerer, gw_request *const *requests, int count) GW_MUST_CHECK;
// Appends the answer to a request that is done: a line with its end.
gw_status gw_request_answer(gw_request *request, gw_string *out) GW_MUST_CHECK;
// An answer without results.
gw_status gw_answer_refusal(const char *status, const char *message, gw_string *out) GW_MUST_CHECK;

enum { GW_MOST_CLIENTS = 64 };

typedef struct {
    const char *socket; // path of a Unix socket, which only this user may connect to; NULL: standard input and output
    int64_t most_bytes; // of a request
    int64_t write_wait; // seconds after which a client that reads no answers is let go
} gw_service_options;

// Until standard input ends, or until it is interrupted. Each line gets a line, in the order of its client's: that of
// gw_request_answer(), or too-large where it has more bytes than a request may have; a client too many gets busy. Of a
// client that has left nothing more is scored. A socket that a service left that was killed is taken over.
gw_status gw_service_run(gw_answerer *answerer, const gw_service_options *options) GW_MUST_CHECK;

// request_lines.c: lines of requests out of bytes as they come, none longer than a limit.

// Zero-initialise but for `most`.
typedef struct {
    gw_string text; // as it came
    int64_t used;   // bytes of it
    int64_t most;   // bytes a line
    bool too_long;  // the line begun is, and is passed over
} gw_request_lines;

void gw_request_lines_add(gw_request_lines *lines, const char *bytes, int64_t count);
// The next line, where it has come, without its end; NULL where it was too long. It is valid until the next call. Lines
// of blanks alone are passed over. ended: nothing more comes, and the last line needs no end.
gw_status gw_request_lines_next(gw_request_lines *lines, bool ended, bool *found, const char **line,
                                int64_t *length) GW_MUST_CHECK;
void gw_request_lines_free(gw_request_lines *lines);

#endif
