import assert from "node:assert/strict";
import { isIP } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { checkUrl, isAllowedAddress, isPublicAddress } from "../../src/lib/http-client/addresses.ts";

/** IANA's IPv4 special-purpose registry, multicast and reserved ranges; first and last of each. */
const V4 = [
  ["0.0.0.0", "0.255.255.255"],
  ["10.0.0.0", "10.255.255.255"],
  ["100.64.0.0", "100.127.255.255"],
  ["127.0.0.0", "127.255.255.255"],
  ["169.254.0.0", "169.254.255.255"],
  ["172.16.0.0", "172.31.255.255"],
  ["192.0.0.0", "192.0.0.255"],
  ["192.0.2.0", "192.0.2.255"],
  ["192.31.196.0", "192.31.196.255"],
  ["192.52.193.0", "192.52.193.255"],
  ["192.88.99.0", "192.88.99.255"],
  ["192.168.0.0", "192.168.255.255"],
  ["192.175.48.0", "192.175.48.255"],
  ["198.18.0.0", "198.19.255.255"],
  ["198.51.100.0", "198.51.100.255"],
  ["203.0.113.0", "203.0.113.255"],
  ["224.0.0.0", "255.255.255.255"],
] as const;

const ONES = ":ffff:ffff:ffff:ffff:ffff:ffff";

/** The same for IPv6: everything outside 2000::/3, and the exceptions inside. */
const V6 = [
  ["::", `1fff${ONES}:ffff`],
  ["2001::", `2001:1ff${ONES}`],
  ["2001:db8::", `2001:db8${ONES}`],
  ["2002::", `2002${ONES}:ffff`],
  ["2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"],
  ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["4000::", `ffff${ONES}:ffff`],
] as const;

function toNumber(ip: string): bigint {
  if (isIP(ip) === 4) return ip.split(".").reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  const [head = "", tail] = ip.split("::");
  const left = head.split(":").filter(Boolean);
  const right = tail?.split(":").filter(Boolean) ?? [];
  const parts = [...left, ...Array(8 - left.length - right.length).fill("0"), ...right];
  return parts.reduce((sum, part) => (sum << 16n) | BigInt(`0x${part}`), 0n);
}

function toV4(number: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((number >> shift) & 255n)).join(".");
}

function toV6(number: bigint): string {
  const shifts = Array.from({ length: 8 }, (_, part) => BigInt(112 - 16 * part));
  return shifts.map((shift) => ((number >> shift) & 0xffffn).toString(16)).join(":");
}

for (const [name, ranges, print, bits] of [
  ["IPv4", V4, toV4, 32n],
  ["IPv6", V6, toV6, 128n],
] as const) {
  const within = (number: bigint) =>
    ranges.some(([first, last]) => toNumber(first) <= number && number <= toNumber(last));

  test(`${name}: the first and the last of every special range are refused, and their outer neighbors are not`, () => {
    for (const [first, last] of ranges) {
      assert.equal(isPublicAddress(first), false, first);
      assert.equal(isPublicAddress(last), false, last);
      for (const beside of [toNumber(first) - 1n, toNumber(last) + 1n]) {
        if (beside < 0n || beside >= 1n << bits) continue;
        assert.equal(isPublicAddress(print(beside)), !within(beside), print(beside));
      }
    }
  });

  test(`${name}: any address is public exactly if no special range contains it`, () => {
    const edges = ranges.flatMap(([first, last]) => [toNumber(first), toNumber(last)]);
    const near = fc.tuple(fc.constantFrom(...edges), fc.bigInt(-70_000n, 70_000n)).map(([at, off]) => at + off);
    const anywhere = fc.bigInt(0n, (1n << bits) - 1n);
    fc.assert(
      fc.property(fc.oneof(near, anywhere), (number) => {
        fc.pre(number >= 0n && number < 1n << bits);
        return isPublicAddress(print(number)) === !within(number);
      }),
      { numRuns: 2_000 },
    );
  });
}

test("IPv6 ranges that carry or translate IPv4, stay local or lead nowhere are refused at both ends", () => {
  for (const ip of [
    "::",
    "::1",
    "::7f00:1",
    "::8.8.8.8",
    "::ffff:0:0",
    "::ffff:8.8.8.8",
    "::ffff:127.0.0.1",
    "::ffff:ffff:ffff",
    "::ffff:0:808:808",
    "64:ff9b::",
    "64:ff9b::8.8.8.8",
    "64:ff9b::ffff:ffff",
    "64:ff9b:1::",
    "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
    "100::",
    "100::ffff:ffff:ffff:ffff",
    "100:0:0:1::",
    "2001::1",
    "2001:2::",
    "2001:10::",
    "2001:20::",
    "2001:30::",
    "2002:808:808::1",
    "5f00::",
    `5f00${ONES}:ffff`,
    "fc00::",
    `fdff${ONES}:ffff`,
    "fe80::",
    `febf${ONES}:ffff`,
    "fec0::",
    `feff${ONES}:ffff`,
    "ff00::",
    "ff02::1",
    `ffff${ONES}:ffff`,
  ]) {
    assert.equal(isPublicAddress(ip), false, ip);
  }
});

test("public addresses of both versions pass", () => {
  for (const ip of [
    "1.1.1.1",
    "8.8.8.8",
    "104.18.32.7",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450:4001::200e",
  ]) {
    assert.equal(isPublicAddress(ip), true, ip);
  }
});

test("text that is not a plain address is not public", () => {
  for (const ip of [
    "",
    "localhost",
    "8.8.8",
    "0x8.8.8.8",
    "0010.8.8.8",
    "134744072",
    "2606:4700::1111%eth0",
    " 8.8.8.8",
  ]) {
    assert.equal(isPublicAddress(ip), false, ip);
  }
});

test("for local work, loopback and private addresses are allowed, and no other special ones", () => {
  const local = ["127.0.0.1", "127.0.0.2", "10.1.2.3", "172.31.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd00::1"];
  const never = ["0.0.0.0", "::", "224.0.0.1", "ff02::1", "169.254.169.254", "fe80::1", "255.255.255.255"];
  const nowhere = ["240.0.0.1", "192.0.2.1", "2001:db8::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"];
  for (const ip of local) assert.equal(isAllowedAddress(ip, { allowPrivate: true }), true, ip);
  for (const ip of [...never, ...nowhere]) assert.equal(isAllowedAddress(ip, { allowPrivate: true }), false, ip);
  for (const ip of [...local, ...never, ...nowhere])
    assert.equal(isAllowedAddress(ip, { allowPrivate: false }), false, ip);
});

const LITERAL = "must not name a private, local or reserved address";
const SPACES = "must not contain spaces, line breaks or backslashes";

/** Every spelling of loopback that some parser reads as an address. */
const LOOPBACKS = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "017700000001",
  "0x7f.1",
  "0x7F.0x0.0x0.0x1",
  "0177.0.0.1",
  "0177.0x0.0.01",
  "127%2e0%2e0%2e1",
  "%31%32%37.0.0.1",
  "%30x7f.1",
  "１２７.0.0.1",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "127．0｡0．1",
  "127.0.0.1\u00ad",
  "127.0.0.1%C2%AD",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::127.0.0.1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0000:0000:0000:0000:0000:FFFF:7F00:0001]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
];

for (const host of LOOPBACKS) {
  test(`loopback spelled ${host} is refused at once`, () => {
    assert.deepEqual(checkUrl(`https://${host}/hook`, { allowPrivate: false }), { refusal: LITERAL });
    assert.deepEqual(checkUrl(`https://${host}:8443`, { allowPrivate: false }), { refusal: LITERAL });
  });
}

for (const [text, refusal] of [
  ["", "must be a URL such as https://example.com"],
  ["hooks", "must be a URL such as https://example.com"],
  ["https://", "must be a URL such as https://example.com"],
  ["https://?x", "must be a URL such as https://example.com"],
  ["https://1.2.3.4.5/", "must be a URL such as https://example.com"],
  ["https://256.0.0.1/", "must be a URL such as https://example.com"],
  ["https://4294967296/", "must be a URL such as https://example.com"],
  ["https://[fe80::1%25eth0]/", "must be a URL such as https://example.com"],
  ["https://[::1/", "must be a URL such as https://example.com"],
  ["https://a%00b.example/", "must be a URL such as https://example.com"],
  ["https://hooks.example:99999/", "must be a URL such as https://example.com"],
  ["http://hooks.example/", "must start with https://"],
  ["http://127.0.0.1/", "must start with https://"],
  ["ftp://hooks.example/", "must start with https://"],
  ["file:///etc/passwd", "must start with https://"],
  ["data:text/plain,x", "must start with https://"],
  ["blob:https://hooks.example/1", "must start with https://"],
  ["https://me@hooks.example/", "must not contain a username or password"],
  ["https://me:secret@hooks.example/", "must not contain a username or password"],
  ["https://:secret@hooks.example/", "must not contain a username or password"],
  ["https://hooks.example%40127.0.0.1/", "must be a URL such as https://example.com"],
  ["https://8.8.8.8@127.0.0.1/", "must not contain a username or password"],
  ["https://hooks.example/#part", "must not contain a fragment"],
  ["https://hooks.example/#", "must not contain a fragment"],
  ["https://hooks.example./", "must not have a dot at the end of its host"],
  ["https://hooks.example%2e/", "must not have a dot at the end of its host"],
  ["https://127.0.0.1./", LITERAL],
  ["https://2130706433./", LITERAL],
  ["https://0/", LITERAL],
  ["https://0.0.0.0/", LITERAL],
  ["https://[::]/", LITERAL],
  ["https://169.254.169.254/latest/meta-data", LITERAL],
  ["https://255.255.255.255/", LITERAL],
  [" https://hooks.example/", SPACES],
  ["https://hooks.example/a b", SPACES],
  ["https://127.0.\n0.1/", SPACES],
  ["ht\ttps://hooks.example/", SPACES],
  ["https:\\\\hooks.example\\", SPACES],
  ["https://hooks.example/\u0000", SPACES],
] as const) {
  test(`${JSON.stringify(text)} ${refusal}`, () => {
    assert.deepEqual(checkUrl(text, { allowPrivate: false }), { refusal });
  });
}

for (const [text, href] of [
  ["https://hooks.example/in?token=a%20b&x", "https://hooks.example/in?token=a%20b&x"],
  ["https://Hooks.Example:443", "https://hooks.example/"],
  ["https://hooks.example:8443/in", "https://hooks.example:8443/in"],
  ["https://8.8.8.8/in", "https://8.8.8.8/in"],
  ["https://[2606:4700::1111]/in", "https://[2606:4700::1111]/in"],
  ["https://bücher.example/", "https://xn--bcher-kva.example/"],
] as const) {
  test(`${text} passes`, () => assert.equal(checkUrl(text, { allowPrivate: false }).url?.href, href));
}

test("for local work, http is allowed only for 127.0.0.1 and [::1], and https for private addresses as well", () => {
  const reach = { allowPrivate: true };
  for (const text of ["http://127.0.0.1:9000/in", "http://[::1]/in", "https://10.0.0.8/in", "https://127.1/"]) {
    assert.equal(checkUrl(text, reach).refusal, undefined, text);
  }
  for (const text of ["http://localhost/", "http://127.0.0.2/", "http://10.0.0.8/", "http://hooks.example/"]) {
    assert.equal(checkUrl(text, reach).refusal, "must start with https://. Only 127.0.0.1 and [::1] can use http://");
  }
  for (const text of ["https://0.0.0.0/", "https://[::]/", "https://224.0.0.1/", "https://169.254.169.254/"]) {
    assert.equal(checkUrl(text, reach).refusal, LITERAL, text);
  }
});

test("no URL passes with a special address as its host, except by a name", () => {
  const digit = fc.constantFrom(..."0123456789abcdefx.:[]%１２７①⓪。．");
  fc.assert(
    fc.property(fc.string({ unit: digit, minLength: 1, maxLength: 16 }), (host) => {
      const { url } = checkUrl(`https://${host}/`, { allowPrivate: false });
      if (url === undefined) return;
      const bare = url.hostname.replace(/[[\]]/g, "");
      if (isIP(bare) !== 0) assert.ok(isPublicAddress(bare), url.hostname);
      // A resolver would read this as an address, so the URL parser must have done so before.
      else assert.doesNotMatch(bare, /(?:^|\.)(?:\d+|0x[\da-f]*)\.?$/i);
    }),
    { numRuns: 5_000 },
  );
});
