// SPDX-License-Identifier: MIT
// MD5 as RFC 1321 writes it: four rounds of sixteen steps over each block of 64 bytes,
//   a = b + rotate(a + f(b, c, d) + word + sine[step], shift)
#include "base/md5.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

// floor(2^32 |sin(step + 1)|)
static const uint32_t sine[64] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
};
static const uint8_t shift[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t load_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

// The round's mixing function of (b, c, d). Where two terms have no bit in common they are added, not joined by "or":
// the one that does not wait for b can then be added before b is known.
#define MIX_0(b, c, d) (d ^ (b & (c ^ d)))
#define MIX_1(b, c, d) (c & ~d) + (b & d)
#define MIX_2(b, c, d) ((c ^ d) ^ b)
#define MIX_3(b, c, d) (c ^ (b | ~d))
// The word of the block that a round's step reads.
#define WORD_0(step) ((step) % 16)
#define WORD_1(step) ((5 * (step) + 1) % 16)
#define WORD_2(step) ((3 * (step) + 5) % 16)
#define WORD_3(step) (7 * (step) % 16)

#define STEP(ROUND, step, a, b, c, d)                                                                                  \
    a += load_word(block + 4 * WORD_##ROUND(step)) + sine[step] + MIX_##ROUND(b, c, d);                                \
    a = b + (a << shift[ROUND][(step) % 4] | a >> (32 - shift[ROUND][(step) % 4]));
// The four change places from step to step; written out, so that every step's constants are known to the compiler.
#define FOUR_STEPS(ROUND, step)                                                                                        \
    STEP(ROUND, step, a, b, c, d)                                                                                      \
    STEP(ROUND, (step) + 1, d, a, b, c)                                                                                \
    STEP(ROUND, (step) + 2, c, d, a, b)                                                                                \
    STEP(ROUND, (step) + 3, b, c, d, a)
#define TAKE_ROUND(ROUND)                                                                                              \
    FOUR_STEPS(ROUND, 16 * ROUND)                                                                                      \
    FOUR_STEPS(ROUND, 16 * ROUND + 4)                                                                                  \
    FOUR_STEPS(ROUND, 16 * ROUND + 8)                                                                                  \
    FOUR_STEPS(ROUND, 16 * ROUND + 12)

static void digest_block(uint32_t state[4], const uint8_t *block) {
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    TAKE_ROUND(0)
    TAKE_ROUND(1)
    TAKE_ROUND(2)
    TAKE_ROUND(3)
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
}

void gw_md5_start(gw_md5 *md5) {
    *md5 = (gw_md5){.state = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
}

void gw_md5_add(gw_md5 *md5, const void *bytes, int64_t count) {
    const uint8_t *from = bytes;
    size_t left = (size_t)count;
    while (left > 0) {
        const size_t held = md5->length % 64;
        if (held == 0 && left >= 64) { // whole blocks need no copy
            digest_block(md5->state, from);
            from += 64, left -= 64, md5->length += 64;
            continue;
        }
        const size_t take = left < 64 - held ? left : 64 - held;
        memcpy(md5->block + held, from, take);
        from += take, left -= take, md5->length += take;
        if (md5->length % 64 == 0) digest_block(md5->state, md5->block);
    }
}

// A one bit, zeros up to 8 bytes before a block's end, then the length in bits.
void gw_md5_finish_hex(gw_md5 *md5, char hex[33]) {
    static const uint8_t padding[64] = {0x80};
    const uint64_t bits = md5->length * 8, held = md5->length % 64;
    uint8_t length[8];
    for (int i = 0; i < 8; i++) length[i] = (uint8_t)(bits >> (8 * i));
    gw_md5_add(md5, padding, (int64_t)(held < 56 ? 56 - held : 120 - held));
    gw_md5_add(md5, length, sizeof length);
    for (int i = 0; i < 16; i++) sprintf(hex + 2 * i, "%02x", (unsigned)(md5->state[i / 4] >> (8 * (i % 4)) & 0xff));
}
