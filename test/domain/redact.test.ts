import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { redact } from "../../src/domain/text/redact.ts";

const OUR_KEY = `ros_live_${"q7Xk-Zp_".repeat(5)}abc`;

test("keys and tokens are removed, and the text around them stays", () => {
  for (const secret of [
    OUR_KEY,
    `ros_live_${"a".repeat(43)}`,
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "sk-proj-abcdefghijkl",
    "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
    "ghp_abcdefghijklmnopqrstuvwxyzABCDEF",
    "github_pat_11ABCDEFG0abcdefghijkl",
    "glpat-abcdefghijklmnop",
    "xoxb-abcdef-ghijkl",
    "AKIAIOSFODNN7EXAMPLE",
    "AIzaSyDaGmWKa4JsXZHjGwISLn3namBGewQe",
    "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.",
    "9b2d3c4e-5f60-4a1b-8c2d-3e4f5a6b7c8d",
    "dGhpcyBpcyBhIHNlY3JldCB0b2tlbiAxMjM0NQ==",
    "0123456789abcdef0123456789abcdef",
  ]) {
    const clean = redact(`Before (${secret}), after.`);
    assert.match(clean, /^Before \(\[(?:key|token) removed\]\), after\.$/, secret);
  }
});

test("a value after a word like password is removed, in every notation", () => {
  for (const [text, clean] of [
    ["password: hunter2, then", "password: [removed] then"],
    ["PASSWORD=hunter2", "PASSWORD=[removed]"],
    ["passphrase = 'correct horse'", "passphrase = [removed]"],
    ['secret:"a b c" kept', "secret:[removed] kept"],
    ['{"token":"abc","n":3}', '{"token":[removed],"n":3}'],
    ["access_token=abc", "access_token=[removed]"],
    ["accessToken: abc", "accessToken: [removed]"],
    ["x-api-key: abc", "x-api-key: [removed]"],
    ["Cookie: a=b", "Cookie: [removed]"],
    ["JSESSIONID session-id=abc", "JSESSIONID session-id=[removed]"],
    ["li_at=AQED", "li_at=[removed]"],
    ["verification code: 123456", "verification code: [removed]"],
    ["otp: 123456", "otp: [removed]"],
    ["Authorization: Bearer abc.def", "Authorization: [token removed]"],
  ] as const) {
    assert.equal(redact(text), clean);
  }
});

test("email addresses are removed in every common form", () => {
  for (const email of [
    "ada@lovelace.example",
    "ADA.Lovelace+crm@mail.lovelace.co.example",
    "o'brien_1%x@sub-domain.example",
    "jösé@exämple.example",
    "用户@例子.example",
    "a@b.io",
    "ada@localhost",
    "ada@[192.0.2.1]",
    '"john doe"@x.example',
  ]) {
    assert.equal(redact(`Wrote to <${email}>; no answer.`), "Wrote to <[email removed]>; no answer.", email);
    assert.equal(redact(`mailto:${email}_`), "mailto:[email removed]_", email);
  }
});

test("phone numbers are removed as people write them", () => {
  for (const number of [
    "+442079460000",
    "+44 20 7946 0000",
    "+44 (0)20 7946 0000",
    "0044 20 7946 0000",
    "020 7946 0000",
    "(020) 7946 0000",
    "+1 (555) 010-0199",
    "555.010.0199",
    "555-010-0199",
    "+49 30/1234567",
    "+33 1 23 45 67 89",
    "+7 (3452) 12-34-56",
    "8 345212-34-56",
    "+49 30 – 123 456",
    "+1\u00a0555\u00a0010\u00a00199",
    "+1 555\u2011010\u20110199",
    "٠٢٠ ٧٩٤٦ ٠٠٠٠",
  ]) {
    assert.equal(redact(`Call ${number}, today.`), "Call [number removed], today.", number);
    const within = redact(`tel${number}ext 5`);
    assert.match(within, /^tel\(?\[number removed\]ext 5$/, number);
  }
});

test("query strings and fragments are removed, and the URL before them stays", () => {
  for (const [text, clean] of [
    ["https://socialnet.example/in/ada?trk=abc&session=1 seen", "https://socialnet.example/in/ada[query removed] seen"],
    ["HTTPS://a.example/p#access", "HTTPS://a.example/p[query removed]"],
    ["https://a.example/p?abcdef", "https://a.example/p[query removed]"],
    ["a.example/in/ada?3f9a1c seen", "a.example/in/ada[query removed] seen"],
    ["xhttps://a.example/p?q=1", "xhttps://a.example/p[query removed]"],
    ["socialnet.example/in/ada?trk=abc", "socialnet.example/in/ada[query removed]"],
    ["(see ?a=b)", "(see [query removed]"],
    ["&next=1", "[query removed]"],
    ["sent a=1&b=2 there", "sent [query removed] there"],
    ["a==&b=c", "[query removed]"],
    ["?ключ=значение", "[query removed]"],
  ] as const) {
    assert.equal(redact(text), clean);
  }
});

test("text that a person needs is kept exactly", () => {
  for (const text of [
    "",
    "All three went out.",
    "Claimed 12, completed 11, failed 1; synced 10000 in 45 minutes.",
    "Ran 2026-11-20T09:00:00.000Z to 2026-11-20 09:12, next on 2026-11-21T09:00+01:00.",
    "2026-11-20 - 2026-11-27: 3 sent.",
    "Windows are 09:00-17:00, Mon-Fri.",
    "Skyscraper skateboarding, skillfully sketched; skepticism; risk-averse pkgconfig.",
    "The session is ready. The page said: come back later (error 429).",
    "Ada answered: is it 50% or 60%? Then: a = b, x & y, C# and R&D.",
    "A compassionate note, 300 characters long, to https://socialnet.example/in/ada",
    "Electroencephalographically and otherwise, counterrevolutionaries reply.",
    "Version 1.2.3, catalog 2026.11, items OT-01 and ON-34.",
    "@ada and @grace; 3 @ 5; 2@3",
    "Grüße an Zoë 👩\u200d💻 \u202e!",
    "Prefix ros_live_abcde was shown.",
  ]) {
    assert.equal(redact(text), text);
  }
});

/** Text around a secret: anything, and text that the patterns look for. */
const pieces = ["@", ".", "&", "?", "#", "=", ":", "/", " ", '"', "'", "_", "-", "+", "(", "a", "1", "é", "http://"];
const secretive = ["eyJ", "a@b.", "token=", "Bearer ", "ros_live_", "[key removed]", "?q=", "2026-11-", "x&y=", "sk_"];
const around = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.array(fc.constantFrom(...pieces, ...secretive), { maxLength: 30 }).map((parts) => parts.join("")),
);
const letters = (alphabet: string, least: number, most: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: least, maxLength: most });
const NAME = "abcdefghijklmnopqrstuvwxyzABCXYZ0123456789";

const key = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((b) => `ros_live_${Buffer.from(b).toString("base64url")}`);
const email = fc
  .tuple(letters(`${NAME}._+-%`, 1, 20), letters(`${NAME}-`, 1, 12), letters(NAME, 2, 6))
  .map(([local, domain, top]) => `${local}@${domain}.${top}`);
const phone = fc
  .tuple(
    fc.constantFrom("", "+", "00"),
    fc.array(letters("0123456789", 2, 3), { minLength: 4, maxLength: 5 }),
    fc.constantFrom("", " ", "-", ".", "/", " - "),
  )
  .map(([prefix, groups, separator]) => prefix + groups.join(separator));
const query = fc
  .array(fc.tuple(letters(`${NAME}_-`, 1, 8), letters(`${NAME}%.+/`, 0, 12)), { minLength: 1, maxLength: 4 })
  .map((pairs) => `?${pairs.map((pair) => pair.join("=")).join("&")}`);

for (const [name, secret] of Object.entries({ key, email, phone, query })) {
  test(`a planted ${name} is always removed, whatever surrounds it`, () => {
    fc.assert(
      fc.property(around, secret, around, (before, planted, after) => {
        const clean = redact(before + planted + after);
        assert.ok(!clean.includes(planted), clean);
      }),
      { numRuns: 2_000 },
    );
  });
}

test("a phone number right after the beginning of a date is not mistaken for its day", () => {
  for (const phone of ["04 00 00 00", "04 - 00 - 00 - 00", "30 123 45 67"])
    assert.ok(!redact(`2026-11-${phone}`).includes(phone), phone);
  assert.equal(redact("Met on 2026-11-04 10:20, 12 of 40 came"), "Met on 2026-11-04 10:20, 12 of 40 came");
});

test("not even half of a planted key is left", () => {
  fc.assert(
    fc.property(around, key, around, (before, planted, after) => {
      const clean = redact(before + planted + after);
      assert.ok(!clean.includes(planted.slice(9, 30)) && !clean.includes(planted.slice(-21)), clean);
    }),
    { numRuns: 2_000 },
  );
});

test("redaction takes time linear in the length of the text", () => {
  const texts = [
    ...pieces,
    ...secretive,
    "a.",
    "a-",
    "1 ",
    "(1",
    "a=",
    "&a=",
    "=&",
    "A1",
    '="',
    "password:",
    "\n",
  ].flatMap((piece) =>
    [piece, `${piece}a`, `${piece}1`, `${piece} `, `${piece}=`].map((unit) => unit.repeat(20_000 / unit.length)),
  );
  const before = performance.now();
  for (const text of texts) redact(text);
  const ms = performance.now() - before;
  // Linear patterns take half a second for all of them, a quadratic one that long for each.
  assert.ok(ms < 20_000, `${texts.length} texts of 20,000 characters: ${ms} ms`);
});
