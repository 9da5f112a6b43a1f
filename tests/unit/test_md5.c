// SPDX-License-Identifier: MIT
// MD5 against the test suite of RFC 1321 (appendix A.5), and of bytes that come in pieces.
#include "file/digest.h"

#include <criterion/criterion.h>
#include <string.h>

static void digest(const void *bytes, int length, int piece, char hex[33]) {
    gw_md5 *md5;
    cr_assert_eq(gw_md5_start(&md5), GW_OK);
    for (int at = 0; at < length; at += piece)
        gw_md5_add(md5, (const char *)bytes + at, at + piece < length ? piece : length - at);
    gw_md5_finish_hex(md5, hex);
}

static void expect(const char *text, const char *wanted) {
    char hex[33];
    digest(text, (int)strlen(text), 1 << 20, hex);
    cr_assert_str_eq(hex, wanted, "\"%s\": %s", text, hex);
}

Test(md5, rfc_suite) {
    expect("", "d41d8cd98f00b204e9800998ecf8427e");
    expect("a", "0cc175b9c0f1b6a831c399e269772661");
    expect("abc", "900150983cd24fb0d6963f7d28e17f72");
    expect("message digest", "f96b697d7cb7938d525a2f31aaf161d0");
    expect("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b");
    expect("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", "d174ab98d277d9f5a5611c2c9f419d9f");
    expect("12345678901234567890123456789012345678901234567890123456789012345678901234567890",
           "57edf4a22be3c955ac49da2e2107b67a");
}

Test(md5, pieces_give_the_sum_of_the_whole) {
    uint8_t bytes[200];
    char whole[33], parts[33];
    for (int i = 0; i < 200; i++) bytes[i] = (uint8_t)(i * 7 + 1);
    for (int length = 50; length <= 200; length++) {
        digest(bytes, length, length, whole);
        for (int piece = 1; piece < length; piece++) {
            digest(bytes, length, piece, parts);
            cr_assert_str_eq(parts, whole, "%d bytes in pieces of %d", length, piece);
        }
    }
}
