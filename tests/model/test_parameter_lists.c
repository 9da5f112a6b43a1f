// SPDX-License-Identifier: MIT
// Every family with every head: the tensors that transformers 5.23 (GENA-LM: its own modeling_bert.py) saves.
#include "fixtures.h"
#include "model/model_parts.h"
#include "model/parameters.h"

#include <criterion/criterion.h>
#include <stdio.h>

enum {
    WIDTH = FAMILY_WIDTH,
    INNER = FAMILY_FEED_FORWARD,
    VOCABULARY = FAMILY_VOCABULARY,
    POSITIONS = FAMILY_POSITIONS
};
enum { LABELS = FAMILY_LABELS };

typedef struct {
    const char *name;
    int64_t rows, columns; // 0: a vector
} named_shape;

static const named_shape encoder[] = {
    {"embeddings.word_embeddings.weight", VOCABULARY, WIDTH},
    {"embeddings.position_embeddings.weight", POSITIONS, WIDTH},
    {"embeddings.token_type_embeddings.weight", 2, WIDTH},
    {"embeddings.LayerNorm.weight", WIDTH, 0},
    {"embeddings.LayerNorm.bias", WIDTH, 0},
    {"encoder.layer.0.attention.self.query.weight", WIDTH, WIDTH},
    {"encoder.layer.0.attention.self.query.bias", WIDTH, 0},
    {"encoder.layer.0.attention.self.key.weight", WIDTH, WIDTH},
    {"encoder.layer.0.attention.self.key.bias", WIDTH, 0},
    {"encoder.layer.0.attention.self.value.weight", WIDTH, WIDTH},
    {"encoder.layer.0.attention.self.value.bias", WIDTH, 0},
    {"encoder.layer.0.attention.output.dense.weight", WIDTH, WIDTH},
    {"encoder.layer.0.attention.output.dense.bias", WIDTH, 0},
    {"encoder.layer.0.intermediate.dense.weight", INNER, WIDTH},
    {"encoder.layer.0.intermediate.dense.bias", INNER, 0},
    {"encoder.layer.0.output.dense.weight", WIDTH, INNER},
    {"encoder.layer.0.output.dense.bias", WIDTH, 0},
};
static const named_shape norms_after[] = {
    {"encoder.layer.0.attention.output.LayerNorm.weight", WIDTH, 0},
    {"encoder.layer.0.attention.output.LayerNorm.bias", WIDTH, 0},
    {"encoder.layer.0.output.LayerNorm.weight", WIDTH, 0},
    {"encoder.layer.0.output.LayerNorm.bias", WIDTH, 0},
};
static const named_shape norms_before[] = {
    {"encoder.layer.0.pre_attention_ln.weight", WIDTH, 0},
    {"encoder.layer.0.pre_attention_ln.bias", WIDTH, 0},
    {"encoder.layer.0.post_attention_ln.weight", WIDTH, 0},
    {"encoder.layer.0.post_attention_ln.bias", WIDTH, 0},
    {"encoder.last_layer_ln.weight", WIDTH, 0},
    {"encoder.last_layer_ln.bias", WIDTH, 0},
};
static const named_shape pooler_bare[] = {{"pooler.weight", WIDTH, WIDTH}, {"pooler.bias", WIDTH, 0}};
static const named_shape pooler_dense[] = {{"pooler.dense.weight", WIDTH, WIDTH}, {"pooler.dense.bias", WIDTH, 0}};

static const named_shape masked[] = {
    {"cls.predictions.bias", VOCABULARY, 0},
    {"cls.predictions.transform.dense.weight", WIDTH, WIDTH},
    {"cls.predictions.transform.dense.bias", WIDTH, 0},
    {"cls.predictions.transform.LayerNorm.weight", WIDTH, 0},
    {"cls.predictions.transform.LayerNorm.bias", WIDTH, 0},
};
static const named_shape masked_roberta[] = {
    {"lm_head.bias", VOCABULARY, 0},         {"lm_head.dense.weight", WIDTH, WIDTH}, {"lm_head.dense.bias", WIDTH, 0},
    {"lm_head.layer_norm.weight", WIDTH, 0}, {"lm_head.layer_norm.bias", WIDTH, 0},
};
static const named_shape pair[] = {{"cls.seq_relationship.weight", 2, WIDTH}, {"cls.seq_relationship.bias", 2, 0}};
static const named_shape classifier[] = {{"classifier.weight", LABELS, WIDTH}, {"classifier.bias", LABELS, 0}};
static const named_shape classifier_deep[] = {
    {"classifier.dense.weight", WIDTH, WIDTH},
    {"classifier.dense.bias", WIDTH, 0},
    {"classifier.out_proj.weight", LABELS, WIDTH},
    {"classifier.out_proj.bias", LABELS, 0},
};
static const named_shape question[] = {{"qa_outputs.weight", 2, WIDTH}, {"qa_outputs.bias", 2, 0}};
static const named_shape question_bigbird[] = {
    {"qa_classifier.intermediate.dense.weight", INNER, WIDTH},
    {"qa_classifier.intermediate.dense.bias", INNER, 0},
    {"qa_classifier.output.dense.weight", WIDTH, INNER},
    {"qa_classifier.output.dense.bias", WIDTH, 0},
    {"qa_classifier.output.LayerNorm.weight", WIDTH, 0},
    {"qa_classifier.output.LayerNorm.bias", WIDTH, 0},
    {"qa_classifier.qa_outputs.weight", 2, WIDTH},
    {"qa_classifier.qa_outputs.bias", 2, 0},
};
static const named_shape choice[] = {{"classifier.weight", 1, WIDTH}, {"classifier.bias", 1, 0}};

// Expects these tensors, and counts them.
static int expect_list(const gw_parameters *list, const char *prefix, const named_shape *expected, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char name[GW_PARAMETER_NAME];
        snprintf(name, sizeof name, "%s%s", prefix, expected[i].name);
        const gw_parameter *parameter = gw_parameters_find(list, name);
        cr_assert_not_null(parameter, "%s is missing", name);
        cr_expect_eq(parameter->dimensions, expected[i].columns > 0 ? 2 : 1, "%s", name);
        cr_expect_eq(parameter->shape[0], expected[i].rows, "%s", name);
        cr_expect_eq(parameter->shape[1], expected[i].columns, "%s", name);
        cr_expect_eq(parameter->decay, expected[i].columns > 0, "%s", name);
    }
    return (int)count;
}
#define EXPECT_LIST(prefix, array) expect_list(&list, prefix, array, sizeof(array) / sizeof *(array))

static int expect_head(gw_family family, gw_head head, gw_parameters list) {
    const bool bigbird = family == GW_FAMILY_BIGBIRD, roberta = family == GW_FAMILY_ROBERTA;
    switch (head) {
    case GW_HEAD_NONE:
    case GW_HEAD_TRACKS: return 0;
    case GW_HEAD_PRETRAINING: return EXPECT_LIST("", masked) + EXPECT_LIST("", pair);
    case GW_HEAD_MASKED: return roberta ? EXPECT_LIST("", masked_roberta) : EXPECT_LIST("", masked);
    case GW_HEAD_SEQUENCE: return bigbird || roberta ? EXPECT_LIST("", classifier_deep) : EXPECT_LIST("", classifier);
    case GW_HEAD_TOKEN: return EXPECT_LIST("", classifier);
    case GW_HEAD_SPAN: return bigbird ? EXPECT_LIST("", question_bigbird) : EXPECT_LIST("", question);
    case GW_HEAD_MULTIPLE_CHOICE: return EXPECT_LIST("", choice);
    case GW_HEAD_MATCHING:          // no class of transformers
    case GW_HEAD_GENERATION: break; // a decoder, of other families
    }
    return 0;
}

// Which classes have a pooler: [family][head] in the order of gw_head.
static const char *const poolers[] = {"1111101", "1011001", "0010001", "1011001"};

Test(parameter_lists, every_head_has_the_tensors_that_transformers_saves) {
    for (gw_family family = 0; family <= GW_FAMILY_GENA; family++)
        for (gw_head head = 0; head <= GW_HEAD_MULTIPLE_CHOICE; head++) {
            gw_config config = fixture_family(family, head);
            gw_parameters list;
            const char *prefix = head == GW_HEAD_NONE ? "" : family == GW_FAMILY_ROBERTA ? "roberta." : "bert.";
            if (family == GW_FAMILY_ROBERTA && head == GW_HEAD_PRETRAINING) continue;
            const bool bigbird = family == GW_FAMILY_BIGBIRD;
            cr_assert_eq(gw_parameters_make(&config, &list), GW_OK);
            int count = EXPECT_LIST(prefix, encoder);
            count += family == GW_FAMILY_GENA ? EXPECT_LIST(prefix, norms_before) : EXPECT_LIST(prefix, norms_after);
            if (poolers[family][head] == '1')
                count += bigbird ? EXPECT_LIST(prefix, pooler_bare) : EXPECT_LIST(prefix, pooler_dense);
            count += expect_head(family, head, list);
            cr_expect_eq(list.count, count, "family %d, head %d: %d tensors, expected %d", (int)family, (int)head,
                         list.count, count);
            gw_parameters_free(&list);
            gw_config_free(&config);
        }
}

Test(parameter_lists, what_a_config_leaves_out_is_not_listed) {
    gw_config config = fixture_family(GW_FAMILY_BIGBIRD, GW_HEAD_MASKED),
              gena = fixture_family(GW_FAMILY_GENA, GW_HEAD_MASKED);
    gw_parameters list;
    config.bias = false;
    config.layers = 2;
    cr_assert_eq(gw_parameters_make(&config, &list), GW_OK);
    cr_expect_null(gw_parameters_find(&list, "bert.encoder.layer.1.attention.self.query.bias"));
    cr_expect_null(gw_parameters_role(&list, GW_ROLE_VALUE, 1, true));
    cr_expect_not_null(gw_parameters_find(&list, "bert.encoder.layer.1.attention.output.dense.bias"));
    cr_expect_str_eq(gw_parameters_role(&list, GW_ROLE_VALUE, 1, false)->name,
                     "bert.encoder.layer.1.attention.self.value.weight");
    gw_parameters_free(&list);
    gena.rotary = 8;
    gena.last_norm = false;
    cr_assert_eq(gw_parameters_make(&gena, &list), GW_OK);
    cr_expect_null(gw_parameters_role(&list, GW_ROLE_POSITION, 0, false));
    cr_expect_null(gw_parameters_role(&list, GW_ROLE_LAST_NORM, 0, false));
    cr_expect_str_eq(gw_parameters_role(&list, GW_ROLE_OUTPUT_NORM, 0, true)->name,
                     "bert.encoder.layer.0.post_attention_ln.bias");
    gw_parameters_free(&list);
    gw_config_free(&config);
    gw_config_free(&gena);
}
