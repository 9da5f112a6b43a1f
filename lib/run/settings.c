// SPDX-License-Identifier: MIT
// Fingerprints are items separated by commas, semicolons and colons. An item is a list of words. Items of both
// fingerprints with the same first or last word are the same setting: the differing words are its values, the other
// words name it.
#include "run/settings.h"

#include "base/memory.h"
#include "base/parse.h"
#include "measure/metric.h"
#include "model/config_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 128, MOST_WORDS = 16 };

typedef struct {
    char *word[MOST_WORDS]; // the last one holds the rest
    int count;
} item;

typedef struct {
    char *copy;
    item item[MOST_ITEMS];
    int count;
} item_list;

static const char *name_of_strands(int64_t number) {
    static const char *const names[] = {"as the task reads", "one", "both"};
    return number >= 0 && number < 3 ? names[number] : NULL;
}

static const char *name_of_pooling(int64_t number) {
    return number >= 0 && number < GW_SEQUENCE_POOLINGS ? gw_pooling_names[number] : NULL;
}

static const char *name_of_criterion(int64_t number) {
    static const char *const names[] = {"auroc", "auprc", "f1", "loss"};
    enum { OF_TEXTS = 100 };
    if (number >= OF_TEXTS && number < OF_TEXTS + GW_METRICS) return gw_metric_names[number - OF_TEXTS];
    return number >= 0 && number < 4 ? names[number] : NULL;
}

// Settings by the words before or after their values, where an option or clearer words say them.
static const struct {
    const char *before, *after, *name;
    const char *(*value)(int64_t number); // of values that are numbers of names
} settings[] = {
    {.before = "on data", .name = "data"},
    {.after = "tokens of vocabulary", .name = "vocabulary"},
    {.after = "examples", .name = "training examples"},
    {.after = "pairs of", .name = "training pairs"},
    {.before = "pairs of", .name = "tokens of sources"},
    {.after = "tokens", .name = "tokens of targets"},
    {.after = "labels", .name = "labels"},
    {.before = "validated on", .name = "validation examples"},
    {.before = "best on", .name = "validation set"},
    {.after = "windows", .name = "validation windows"},
    {.before = "stem", .name = "--stem"},
    {.before = "pattern", .name = "attention pattern"},
    {.before = "length", .name = "--length"},
    {.after = "positions", .name = "--length"},
    {.before = "groups", .name = "--groups"},
    {.before = "steps", .name = "--steps"},
    {.after = "steps of", .name = "steps"},
    {.before = "steps of", .name = "--batch"},
    {.before = "tokens per batch", .name = "tokens of an update"},
    {.before = "lr", .name = "--lr"},
    {.before = "rate", .name = "--lr"},
    {.before = "schedule", .name = "--schedule"},
    {.before = "warmup", .name = "--warmup"},
    {.before = "warm-up", .name = "--warmup"},
    {.before = "decay", .name = "--weight-decay"},
    {.before = "weight decay", .name = "--weight-decay"},
    {.before = "clip", .name = "--clip"},
    {.before = "weight", .name = "--positive-weight"},
    {.before = "repeat weight", .name = "--repeat-weight"},
    {.before = "mask rate", .name = "--mask-rate"},
    {.before = "contrast", .name = "--contrast"},
    {.before = "dropout", .name = "--dropout"},
    {.before = "smoothing", .name = "--label-smoothing"},
    {.before = "pooling", .name = "--pooling", .value = name_of_pooling},
    {.before = "average", .name = "--ema"},
    {.before = "best by", .name = "--metric", .value = name_of_criterion},
    {.before = "patience", .name = "--patience"},
    {.before = "strands", .name = "strands", .value = name_of_strands},
    {.before = "shifts of", .name = "--shift"},
    {.before = "seed", .name = "--seed"},
    {.before = "attention", .name = "--attention"},
    {.before = "from", .name = "model"},
    {.before = "from weights", .name = "weights of -m"},
    {.before = "exploration", .name = "--exploration"},
    {.before = "price of edges", .name = "--density-weight"},
    {.before = "price of probabilities", .name = "--density-weight with --expected-density"},
};

// Items that are there or not.
static const struct {
    const char *item, *name;
} flags[] = {
    {"products of bf16", "--dtype bf16"},
    {"encoder frozen", "--freeze-encoder"},
    {"species", "--species"},
    {"whole words", "--whole-words"},
    {"gradient of the mask", "--edge-gradient mask"},
    {"summed by the library", "--all-reduce"},
};

static void cut_words(char *text, item *out) {
    out->count = 0;
    while (text && out->count < MOST_WORDS) {
        out->word[out->count++] = text;
        text = out->count < MOST_WORDS ? strchr(text, ' ') : NULL;
        if (text) *text++ = 0;
    }
}

static bool cut_items(const char *text, item_list *out) {
    *out = (item_list){.copy = gw_strdup(text)};
    for (char *at = out->copy; at && out->count < MOST_ITEMS;) {
        char *end = at;
        while (*end && !(strchr(",;:", *end) && end[1] == ' ')) end++;
        char *next = *end ? end + 2 : NULL;
        *end = 0;
        cut_words(at, &out->item[out->count++]);
        at = next;
    }
    return out->copy != NULL;
}

static void put_words(gw_string *out, const item *i, int from, int to) {
    for (int w = from; w < to; w++) gw_string_printf(out, "%s%s", w > from ? " " : "", i->word[w]);
    if (from >= to) gw_string_puts(out, "none");
}

static bool same(const item *a, const item *b) {
    bool equal = a->count == b->count;
    for (int w = 0; equal && w < a->count; w++) equal = strcmp(a->word[w], b->word[w]) == 0;
    return equal;
}

static bool is_name(const char *word) {
    return isalpha((unsigned char)word[0]) != 0;
}

// Whether they are the same setting, of whatever values.
static bool alike(const item *a, const item *b) {
    const char *last_a = a->word[a->count - 1], *last_b = b->word[b->count - 1];
    if (a->count == 1 || b->count == 1) return same(a, b);
    for (int w = 0; a->count == b->count && w < a->count; w++)
        if (is_name(a->word[w]) && strcmp(a->word[w], b->word[w]) == 0) return true;
    return (is_name(a->word[0]) && strcmp(a->word[0], b->word[0]) == 0) ||
           (is_name(last_a) && strcmp(last_a, last_b) == 0);
}

// How many words of `text` the item has from word `at` on; 0: others.
static int has_words(const item *i, int at, const char *text) {
    int count = 0;
    for (const char *t = text; *t; count++) {
        const size_t length = strcspn(t, " ");
        if (at + count < 0 || at + count >= i->count || strlen(i->word[at + count]) != length ||
            strncmp(i->word[at + count], t, length) != 0)
            return 0;
        t += length + (t[length] == ' ');
    }
    return count;
}

// The setting whose values are words [from, to) of the item: that with the most words around them; -1: not listed.
static int find_setting(const item *i, int from, int to) {
    int best = -1, most = 0;
    for (int s = 0; s < (int)(sizeof settings / sizeof *settings); s++) {
        const char *before = settings[s].before;
        int at = to;
        if (before) at = from - 1;
        for (const char *c = before; c && *c; c++) at -= *c == ' ';
        const int words = has_words(i, at, before ? before : settings[s].after);
        if (words > most) best = s;
        if (words > most) most = words;
    }
    return best;
}

static void put_value(gw_string *out, int setting, const item *i, int from, int to) {
    int64_t number;
    const bool numbered = setting >= 0 && settings[setting].value && to == from + 1 &&
                          gw_parse_int(i->word[from], INT32_MIN, INT32_MAX, &number) == GW_OK;
    const char *name = numbered ? settings[setting].value(number) : NULL;
    if (name) gw_string_puts(out, name);
    else put_words(out, i, from, to);
}

// Words [from, a_to) of one item against [from, b_to) of the other.
static void tell_words(gw_string *out, const item *a, const item *b, int from, int a_to, int b_to) {
    const int setting = find_setting(a, from, a_to);
    gw_string_puts(out, out->length > 0 ? ", " : "");
    if (setting >= 0) gw_string_puts(out, settings[setting].name);
    else put_words(out, a, 0, from > 0 ? from : a->count);
    gw_string_putc(out, ' ');
    put_value(out, setting, a, from, a_to);
    gw_string_puts(out, " (now ");
    put_value(out, setting, b, from, b_to);
    gw_string_putc(out, ')');
}

static void tell_item(gw_string *out, const item *a, const item *b) {
    int first = 0, last = 0; // words that both begin and end with
    if (a->count == b->count) {
        for (int w = 0; w < a->count; w++)
            if (strcmp(a->word[w], b->word[w]) != 0) tell_words(out, a, b, w, w + 1, w + 1);
        return;
    }
    const int shorter = a->count < b->count ? a->count : b->count;
    while (first < shorter && strcmp(a->word[first], b->word[first]) == 0) first++;
    while (last < shorter - first && strcmp(a->word[a->count - 1 - last], b->word[b->count - 1 - last]) == 0) last++;
    tell_words(out, a, b, first, a->count - last, b->count - last);
}

static const char *name_of_flag(const item *i) {
    gw_string text = {0};
    const char *name = NULL;
    put_words(&text, i, 0, i->count);
    for (size_t f = 0; text.data && f < sizeof flags / sizeof *flags; f++)
        if (strcmp(flags[f].item, text.data) == 0) name = flags[f].name;
    gw_string_free(&text);
    return name;
}

// One that only the state (`stored`) or only this run has.
static void tell_alone(gw_string *out, const item *i, bool stored) {
    const char *flag = name_of_flag(i);
    int value = 0;
    while (value < i->count && find_setting(i, value, value + 1) < 0) value++;
    const int setting = value < i->count ? find_setting(i, value, value + 1) : -1;
    gw_string_puts(out, out->length > 0 ? ", " : "");
    if (setting >= 0) gw_string_printf(out, "%s ", settings[setting].name);
    if (setting >= 0) put_value(out, setting, i, value, value + 1);
    else if (flag) gw_string_puts(out, flag);
    else put_words(out, i, 0, i->count);
    gw_string_puts(out, stored ? " (now not)" : " (only now)");
}

static int find_alike(const item_list *list, int from, const item *i) {
    for (int at = from; at < list->count; at++)
        if (alike(&list->item[at], i)) return at;
    return -1;
}

static void compare(const item_list *a, const item_list *b, gw_string *out) {
    int i = 0, j = 0;
    while (i < a->count || j < b->count) {
        const bool both = i < a->count && j < b->count;
        if (both && alike(&a->item[i], &b->item[j])) {
            if (!same(&a->item[i], &b->item[j])) tell_item(out, &a->item[i], &b->item[j]);
            i++, j++;
        } else if (i < a->count && find_alike(b, j, &a->item[i]) < 0) {
            tell_alone(out, &a->item[i++], true);
        } else if (j < b->count) {
            tell_alone(out, &b->item[j++], false);
        } else {
            tell_alone(out, &a->item[i++], true);
        }
    }
}

void gw_settings_differ(const char *stored, const char *now, gw_string *out) {
    item_list *lists = gw_alloc(2, sizeof *lists);
    if (lists && cut_items(stored, &lists[0]) && cut_items(now, &lists[1])) compare(&lists[0], &lists[1], out);
    for (int i = 0; lists && i < 2; i++) free(lists[i].copy);
    free(lists);
}
