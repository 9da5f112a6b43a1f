// SPDX-License-Identifier: MIT
// MD5 against the test suite of RFC 1321 (appendix A.5), and in pieces of every size.
#include "base/md5.h"

#include <criterion/criterion.h>
#include <string.h>

static void expect(const char *text, const char *wanted) {
    gw_md5 md5;
    char hex[33];
    gw_md5_start(&md5);
    gw_md5_add(&md5, text, (int64_t)strlen(text));
    gw_md5_finish_hex(&md5, hex);
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

// The padding of lengths 55, 56, 63, 64 and 65 differs; every split of a text must give the sum of the whole.
Test(md5, pieces_of_every_size) {
    uint8_t bytes[200];
    for (int i = 0; i < 200; i++) bytes[i] = (uint8_t)(i * 7 + 1);
    for (int length = 50; length <= 200; length++) {
        char whole[33], parts[33];
        gw_md5 md5;
        gw_md5_start(&md5);
        gw_md5_add(&md5, bytes, length);
        gw_md5_finish_hex(&md5, whole);
        for (int piece = 1; piece < length; piece++) {
            gw_md5_start(&md5);
            for (int at = 0; at < length; at += piece)
                gw_md5_add(&md5, bytes + at, at + piece < length ? piece : length - at);
            gw_md5_finish_hex(&md5, parts);
            cr_assert_str_eq(parts, whole, "%d bytes in pieces of %d", length, piece);
        }
    }
}

Test(md5, lengths_around_a_block) {
    static const char *const wanted[] = {"ef1772b6dff9a122358552954ad0df65", "3b0c8ac703f828b04c6c197006d17218",
                                         "b06521f39153d618550606be297466d5", "014842d480b571495a4a0363793f7367",
                                         "c743a45e0d2e6a95cb859adae0248435"};
    static const int lengths[] = {55, 56, 63, 64, 65};
    char text[66];
    for (int i = 0; i < 5; i++) {
        memset(text, 'a', sizeof text);
        text[lengths[i]] = 0;
        expect(text, wanted[i]);
    }
}
