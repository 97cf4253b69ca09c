import assert from "node:assert/strict";
import { test } from "node:test";
import { emailKey, lowerCase } from "../../src/domain/contacts/address.ts";

/** Spellings of one address per list. */
const ONE = [
  [
    "a@exämple.com",
    "a@xn--exmple-cua.com",
    "A@EXÄMPLE.com",
    "a@XN--EXMPLE-CUA.COM",
    "a@exämple\u3002com",
    "a@exämple\uFF0Ecom",
    "a@exämple\uFF61com",
    "a@exa\u0308mple.com",
    "a@ｅxämple.com",
  ],
  ["müller@x.example", "mu\u0308ller@x.example", "MÜLLER@X.example", "müller@x\u3002example"],
  ["用户@例子.广告", "用户@xn--fsqu00a.xn--4rr70v", "用户@例子\u3002广告"],
  ["a@faß.de", "a@xn--fa-hia.de", "a@FAẞ.de"],
  ["ασ@x.example", "ΑΣ@x.example", "ας@x.example", '"ΑΣ"@X.example'],
  ["a@ασ-β.example", "A@ΑΣ-Β.EXAMPLE"],
  ["a@x.ασ", "A@X.ΑΣ"],
  ["a@mail.exämple.com", "a@mail.xn--exmple-cua.com"],
  ["ada@x.example", '"ada"@x.example', '"Ad\\a"@X.example', '"\\a\\d\\a"@x\u3002example'],
  ["müller@x.example", '"MÜLLER"@x.example'],
  ['"a b"@x.example', '"a\\ b"@X.example'],
  ['"a\\"b@c"@x.example', '"\\a\\"\\b\\@c"@x.example'],
  ["a@example.com", "A@EXAMPLE.COM", "a@example\u3002com", "a@exa\u00ADmple.com"],
];

test("all spellings of an address have one key, which is its own key", () => {
  for (const spellings of ONE) {
    const keys = new Set(spellings.map(emailKey));
    assert.equal(keys.size, 1, `${spellings}: ${[...keys]}`);
    for (const key of keys) assert.equal(emailKey(key), key);
    for (const address of spellings) assert.ok(keys.has(emailKey(lowerCase(address))), "in lower case too");
  }
});

test("a capital sigma in lower case keeps its address", () => {
  const lower = lowerCase("INFO@ΣΟΦΟΣ-24.gr");
  assert.equal(lower, "info@σοφοσ-24.gr");
  assert.equal(emailKey(lower), emailKey("INFO@ΣΟΦΟΣ-24.gr"));
});

test("addresses that differ in more than their spelling stay apart", () => {
  const apart = [
    '"a b"@x.example',
    "ab@x.example",
    '"a\\\\b"@x.example',
    '"a@x.example',
    "a@fass.de",
    "a@faß.de",
    "a@ασ.example",
    "a@ας.example",
    "a@exämple.com",
    "a@example.com",
    "b@exämple.com",
    "a@exämple.org",
  ];
  assert.equal(new Set(apart.map(emailKey)).size, apart.length);
});

test("an invalid internationalized domain is only lower-cased", () => {
  const others = [
    ...[
      "Ada@X.example",
      "o'Brien+Tag@x.example",
      "a@localhost",
      "a@my_host.example",
      "a@x.example.",
      "a@[IPv6:2001:DB8::1]",
    ],
    ...[
      "xn--a@x.example",
      "a@1.2.3",
      "a@0x7f.1",
      "a@a%41.com",
      "a@a#b.example",
      "a@a/b",
      "a@a?b",
      "a@a|b.com",
      "xn--",
      "A B",
    ],
    // Invalid punycode.
    ...["a@xn--a.com", "a@xn--.com", "a@xn--example-.com"],
  ];
  for (const address of others) assert.equal(emailKey(address), address.toLowerCase());
  // A URL parser would cut these off, decode them, or read them as an IP address.
  for (const domain of ["a#ü.com", "ü.com/b", "ü.com?b", "ü%41.com", "1.２", "１２７.0.0.1", "ü..com "]) {
    assert.equal(emailKey(`A@${domain}`), `a@${domain}`);
  }
});
