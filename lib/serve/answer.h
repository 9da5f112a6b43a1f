// SPDX-License-Identifier: MIT
// Requests about variants and their answers, one line of JSON each.
//
//   {"id": 1, "variants": ["chr17:43045711:G:A", "chr17:g.43045712del"]}   what seq/vcf/variant_text.h reads
//   {"id": 2, "region": "chr17:43045701-43045720"}                         every single-base change
//
//   {"id": 1, "status": "ok", "results": [{"variant": "chr17:43045711:G:A", "status": "PASS", "contig": "chr17",
//    "position": 43045711, "ref": "G", "alt": "A", "llr": -3.25}, ...]}
//   {"id": 2, "status": "bad-request", "message": "..."}
//
// id may be any value and is returned unchanged. A variant that cannot be read has the status UNREAD and a message.
// Other variants have the status of GW_STATUS and, if scored, values: llr for a pretrained model; diff, logit, mean,
// pref, palt and top (the index of the profile, with its name as profile) for a fine-tuned model. The values equal
// those of `godwit score`.
#ifndef GW_SERVE_ANSWER_H
#define GW_SERVE_ANSWER_H

#include "base/string.h"
#include "score/allele_scorer.h"
#include "seq/genes/gene_models.h"

typedef struct gw_answerer gw_answerer;

typedef struct {
    const gw_score_options *scoring;
    int64_t most_variants;             // of a request
    int64_t most_answer;               // bytes
    const gw_gene_models *transcripts; // gw_transcripts_read(), for HGVS with c. and n.; NULL: not read
} gw_answerer_options;

// Borrows everything.
gw_status gw_answerer_new(gw_model *model, gw_genome *genome, const gw_answerer_options *options,
                          gw_answerer **out) GW_MUST_CHECK;
void gw_answerer_free(gw_answerer *answerer); // NULL is fine

// A request while it is processed.
typedef struct gw_request gw_request;

// Reads a line. Any content gets an answer: bad-request (not of the form above), too-large (more variants than a
// request, or more bytes than an answer, may have), or failed (the model or the genome could not be read or run). A
// failure of these functions ends the service: out of memory, or an interruption.
gw_status gw_request_new(gw_answerer *answerer, const char *line, int64_t length, gw_request **out) GW_MUST_CHECK;
void gw_request_free(gw_request *request); // NULL is fine
bool gw_request_is_done(const gw_request *request);
// Scores a batch of the requests' variants, with an equal share for each request. Unused shares go to the other
// requests.
gw_status gw_requests_score(gw_answerer *answerer, gw_request *const *requests, int count) GW_MUST_CHECK;
// Appends the answer to a finished request: a line with its end.
gw_status gw_request_answer(gw_request *request, gw_string *out) GW_MUST_CHECK;
// An answer without results.
gw_status gw_answer_refusal(const char *status, const char *message, gw_string *out) GW_MUST_CHECK;

#endif
