// SPDX-License-Identifier: MIT
// The text of a config's pattern <-> its mixer with that one's numbers, or the block graphs of attention.
#include "base/memory.h"
#include "base/parse.h"
#include "base/string.h"
#include "model/family.h"
#include "model/mixer.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_BLOCK = 64 };

typedef struct {
    const gw_mixer_word *words;
    int64_t *number;
    uint64_t given; // a bit for each word
} reading;

static gw_status parse_choice(const reading *r, const gw_mixer_word *word, const char *text, int64_t *out) {
    const size_t length = strlen(text);
    int64_t index = 0;
    for (const char *at = word->choices; at; at = gw_next_item(at, '|'), index++) {
        if (strncmp(at, text, length) == 0 && (at[length] == '|' || at[length] == 0)) {
            *out = index;
            return GW_OK;
        }
    }
    return gw_fail(GW_ERR_FORMAT, "unknown %s '%s' of %s: expected one of %s", word->name, text, r->words[0].name,
                   word->choices);
}

static gw_status parse_number(const reading *r, const gw_mixer_word *word, const char *text, int64_t *out) {
    if (word->choices) return parse_choice(r, word, text, out);
    const gw_status status = gw_parse_int(text, word->low, word->high, out);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "%s", word->name);
}

static gw_status foreign_part(const reading *r, const char *text) {
    gw_string list = {0};
    for (const gw_mixer_word *word = r->words + 1; word->name; word++)
        if (!word->mark) gw_string_printf(&list, "%s%s", list.length > 0 ? ", " : "", word->name);
    const gw_status status = gw_string_status(&list);
    if (status == GW_OK)
        gw_fail(GW_ERR_FORMAT, "'%.*s' cannot stand beside %s%s%s", (int)strcspn(text, ":/"), text, r->words[0].name,
                list.length > 0 ? ": what can is " : "", list.data ? list.data : "");
    gw_string_free(&list);
    return gw_first_failure(status, GW_ERR_FORMAT);
}

// The mark of the number that follows a word's; 0: none does.
static char mark_after(const gw_mixer_word *word) {
    return word[1].name ? word[1].mark : 0;
}

// The word that a part begins with, NULL: none of this mixer's.
static const gw_mixer_word *word_of(const reading *r, const char *text) {
    for (const gw_mixer_word *word = r->words; word->name; word++) {
        const size_t length = strlen(word->name);
        if (word->mark || strncmp(text, word->name, length) != 0) continue;
        if (text[length] == 0 || text[length] == ':' || text[length] == mark_after(word)) return word;
    }
    return NULL;
}

// One `name[:number][mark number]`, cut from its spec.
static gw_status parse_part(char *text, reading *r) {
    const gw_mixer_word *word = word_of(r, text);
    if (!word) return foreign_part(r, text);
    const char mark = mark_after(word);
    const int64_t w = word - r->words;
    char *number = text + strlen(word->name), *second = mark ? strchr(number, mark) : NULL;
    if (second) *second++ = 0;
    if (r->given & UINT64_C(1) << w) return gw_fail(GW_ERR_FORMAT, "'%s' is there twice", word->name);
    r->given |= UINT64_C(1) << w;
    r->number[w] = word->high > 0 ? word->usual : 1;
    if (mark) r->number[w + 1] = word[1].usual;
    if (*number == ':' && word->high == 0) return gw_fail(GW_ERR_FORMAT, "'%s' takes no number", word->name);
    if (*number == ':') GW_TRY(parse_number(r, word, number + 1, &r->number[w]));
    else if (word->usual < 0) return gw_fail(GW_ERR_FORMAT, "'%s' needs a number", word->name);
    return second ? parse_number(r, word + 1, second, &r->number[w + 1]) : GW_OK;
}

static gw_status parse_words(const char *spec, const gw_mixer_word *words, int64_t *number) {
    reading r = {words, number, 0};
    char *copy = gw_strdup(spec);
    if (!copy) return GW_ERR_MEMORY;
    gw_status status = GW_OK;
    for (char *at = copy, *next; status == GW_OK && at; at = next) {
        next = strchr(at, '+');
        if (next) *next++ = 0;
        status = parse_part(at, &r);
    }
    free(copy);
    return status == GW_OK ? GW_OK : gw_fail_in(status, "pattern '%s'", spec);
}

// A family whose files hold the query's layer together with others cannot be without it.
static gw_status check_family(const gw_config *config, const gw_mixer_row *mixer) {
    if (!mixer->shares_query || !gw_family_of(config->family)->facts.keeps_query) return GW_OK;
    return gw_fail(GW_ERR_UNSUPPORTED, "%s has no query's layer, which %s models hold together with others",
                   mixer->words[0].name, gw_family_of(config->family)->prefix);
}

gw_status gw_config_use_pattern(gw_config *config, const char *spec) {
    const gw_mixer mixer = gw_mixer_of_pattern(spec);
    const gw_mixer_word *words = gw_mixer_of(mixer)->words;
    gw_pattern pattern = {.block = USUAL_BLOCK};
    int64_t number[GW_MIXER_NUMBERS] = {0};
    GW_TRY(check_family(config, gw_mixer_of(mixer)));
    if (words) GW_TRY(parse_words(spec, words, number));
    else GW_TRY(gw_mixer_parse_blocks(spec, &pattern));
    config->mixer = mixer;
    config->pattern = pattern;
    memcpy(config->mixer_number, number, sizeof number);
    return GW_OK;
}

static void put_choice(gw_string *text, const gw_mixer_word *word, int64_t index) {
    const char *at = word->choices;
    while (index-- > 0) at = strchr(at, '|') + 1;
    gw_string_printf(text, "%c%.*s", word->mark, (int)strcspn(at, "|"), at);
}

static void put_word(gw_string *text, const gw_mixer_word *word, int64_t value, bool every) {
    if (word->choices) {
        if (every || value != word->usual) put_choice(text, word, value);
    } else if (word->mark) {
        gw_string_printf(text, "%c%lld", word->mark, (long long)value);
    } else if (value != 0 || (every && word->drawn)) {
        gw_string_printf(text, "%s%s", text->length > 0 ? "+" : "", word->name);
        if (word->high > 0) gw_string_printf(text, ":%lld", (long long)value);
    }
}

// The spec; with `every` also what it draws by where nothing says it.
static char *write_words(const gw_mixer_word *words, const int64_t *number, bool every) {
    gw_string text = {0};
    for (int w = 0; words[w].name; w++) put_word(&text, &words[w], number[w], every);
    if (gw_string_status(&text) == GW_OK) return text.data;
    gw_string_free(&text);
    return NULL;
}

char *gw_config_pattern(const gw_config *config) {
    const gw_mixer_word *words = gw_mixer_of(config->mixer)->words;
    return words ? write_words(words, config->mixer_number, false) : gw_pattern_text(&config->pattern);
}

char *gw_config_provenance(const gw_config *config) {
    const gw_mixer_word *words = gw_mixer_of(config->mixer)->words;
    return words ? write_words(words, config->mixer_number, true) : gw_pattern_provenance(&config->pattern);
}

bool gw_config_has_modes(const gw_config *config) {
    return !gw_mixer_of(config->mixer)->words && config->pattern.tables != GW_TABLES_OWN;
}

// A mode is one of BigBird's, or full attention, which a mixer's queries, keys and values can be read by.
gw_status gw_config_use_mode(gw_config *config, const char *mode) {
    if (!gw_mixer_of(config->mixer)->words) return gw_pattern_use_mode(&config->pattern, mode);
    gw_pattern pattern;
    GW_TRY(gw_pattern_parse("itc", &pattern));
    GW_TRY(gw_pattern_use_mode(&pattern, mode));
    if (pattern.full && gw_mixer_of(config->mixer)->shares_query)
        return gw_fail(GW_ERR_UNSUPPORTED, "attention mode full needs queries, and %s has keys alone",
                       gw_mixer_of(config->mixer)->words[0].name);
    if (pattern.full) {
        config->mixer = GW_MIXER_ATTENTION;
        config->pattern = pattern;
        return GW_OK;
    }
    char *own = gw_config_pattern(config);
    if (own) gw_fail(GW_ERR_UNSUPPORTED, "attention mode %s is BigBird's; the model's own pattern is %s", mode, own);
    free(own);
    return own ? GW_ERR_UNSUPPORTED : GW_ERR_MEMORY;
}
