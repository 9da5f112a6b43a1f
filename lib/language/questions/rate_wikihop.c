// SPDX-License-Identifier: MIT
// WikiHop: the set is [{"id", "answer", "candidates": [text]}], predictions {id: candidate}. accuracy is the share of
// questions whose candidate is the answer, letter for letter.
#include "language/questions/qa_private.h"

#include <string.h>

static gw_status rate(const gw_qa_files *files, const json_t *set, const json_t *predictions, gw_qa_rating *rating) {
    size_t i;
    json_t *question;
    int64_t right = 0;
    json_array_foreach(set, i, question) {
        const char *id, *expected, *found;
        bool predicted;
        GW_TRY(gw_qa_text(question, files->sets[0], "a question", "id", &id));
        GW_TRY(gw_qa_text(question, files->sets[0], id, "answer", &expected));
        GW_TRY(gw_qa_predicted(predictions, files->predictions, id, &predicted, &found));
        rating->missing += !predicted;
        right += strcmp(found, expected) == 0;
    }
    rating->questions = (int64_t)json_array_size(set);
    rating->others = (int64_t)json_object_size(predictions) - (rating->questions - rating->missing);
    if (rating->questions == 0) return gw_fail(GW_ERR_FORMAT, "%s: expected a list of questions", files->sets[0]);
    gw_qa_add(rating, "accuracy", 100.0 * (double)right / (double)rating->questions);
    gw_qa_add(rating, "total", (double)rating->questions);
    return GW_OK;
}

gw_status gw_qa_rate_wikihop(const gw_qa_files *files, gw_qa_rating *out) {
    json_t *set = NULL, *predictions = NULL;
    gw_status status = gw_qa_one_set(files, &set);
    if (status == GW_OK) status = gw_qa_predictions(files, &predictions);
    if (status == GW_OK) status = rate(files, set, predictions, out);
    json_decref(set);
    json_decref(predictions);
    return status;
}
