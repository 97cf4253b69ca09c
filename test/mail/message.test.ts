import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import MailComposer from "nodemailer/lib/mail-composer";
import PostalMime from "postal-mime";
import { emailKey } from "../../src/domain/contacts/address.ts";
import { MAX_BODY } from "../../src/domain/outreach/sending.ts";
import { parseSender } from "../../src/lib/mail-server.ts";
import {
  composeMessage,
  messageIdOf,
  messageIdsIn,
  type SequenceEmail,
  sendIdOf,
  threadIdsIn,
  UnsendableEmail,
} from "../../src/mail/message.ts";
import { encodeMessage } from "../../src/mail/mime.ts";
import { message, sequenceEmail } from "./messages.ts";

const rawOf = (given: Partial<SequenceEmail> = {}) => String(encodeMessage(message(given).options));

const headersOf = (raw: string) => raw.slice(0, raw.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]+/g, " ");
const field = (raw: string, name: string) => new RegExp(`^${name}: ?(.*)$`, "m").exec(headersOf(raw))?.[1]?.trim();

const LONG_LINK = `https://acme.example/unsubscribe/v1.abc.${"A".repeat(600)}`;

test("every message has one-click unsubscribe (RFC 8058), however long its link", async () => {
  const raw = rawOf({ unsubscribe: { url: LONG_LINK } });
  assert.equal(field(raw, "List-Unsubscribe"), `<${LONG_LINK}>`);
  assert.equal(field(raw, "List-Unsubscribe-Post"), "List-Unsubscribe=One-Click");
  const email = await PostalMime.parse(raw);
  assert.ok(email.text?.includes(`\n${LONG_LINK}\n`));
  assert.ok(email.html?.includes(`<a href="${LONG_LINK}">Unsubscribe</a>`));
});

test("if the mailbox is read, unsubscribing by email works too, and the https link stays first", async () => {
  const raw = rawOf({ unsubscribe: { url: LONG_LINK, subject: "unsubscribe v1.abc.x_-" } });
  const mailto = "<mailto:sales@acme.example?subject=unsubscribe%20v1.abc.x_->";
  assert.equal(field(raw, "List-Unsubscribe"), `<${LONG_LINK}>, ${mailto}`);
  assert.ok(raw.split("\r\n").every((line) => line.length <= 998));
});

test("a Message-ID is derived from the send: the same each time, read back from a reply, and never from another's", () => {
  const { sendId, messageId } = message();
  assert.equal(messageId, messageIdOf(sendId, "someone@ACME.example"));
  assert.equal(sendIdOf(messageId), sendId);
  assert.equal(sendIdOf(` ${messageId.slice(1, -1)} `), sendId);
  for (const other of ["<a@b>", `<${sendId}@acme.example>`, `<rostrum.${sendId}>`, `<x.rostrum.${sendId}@b>`, ""]) {
    assert.equal(sendIdOf(other), undefined, other);
  }
  assert.deepEqual(messageIdsIn("<a@b> x <c@d>\r\n\t<a@b> <e f@g> <h@i"), ["<a@b>", "<c@d>"]);
  assert.deepEqual(threadIdsIn("<a@b> x <c@d>\r\n\t<a@b> <e f@g> <h@i"), ["<a@b>", "<c@d>"]);
  const thread = Array.from({ length: 131 }, (_, i) => `<${i}@x.example>`);
  assert.deepEqual(threadIdsIn(thread.join(" ")), thread.slice(-100).reverse());
});

test("a follow-up replies to the last message and names the thread; a long thread by its first and latest messages", async () => {
  const earlier = Array.from({ length: 49 }, (_, i) => `<${i}@acme.example>`);
  const raw = rawOf({ earlier });
  assert.equal(field(raw, "In-Reply-To"), "<48@acme.example>");
  const references = field(raw, "References")?.split(" ") ?? [];
  assert.deepEqual(references, [earlier[0], ...earlier.slice(-19)]);
  const first = rawOf();
  assert.deepEqual([field(first, "In-Reply-To"), field(first, "References")], [undefined, undefined]);
  assert.equal(field(rawOf({ earlier: ["<a@b>"] }), "References"), "<a@b>");
});

test("the HTML part matches the text: escaped, with line breaks and only clickable links of the text", async () => {
  const body =
    "Hi <b>Ada</b> & \"co\",\n\nsee https://acme.example/a?b=1&c='2', (http://x.example/(y)).\r\n<script>alert(1)</script>\njavascript:alert(1)";
  const { html, text } = await PostalMime.parse(rawOf({ body }));
  assert.ok(text?.startsWith(body.replaceAll("\r\n", "\n")));
  const expected = [
    "<p>Hi &lt;b&gt;Ada&lt;/b&gt; &amp; &quot;co&quot;,</p>",
    '<p>see <a href="https://acme.example/a?b=1&amp;c=&#39;2">https://acme.example/a?b=1&amp;c=&#39;2</a>&#39;, ' +
      '(<a href="http://x.example/(y)">http://x.example/(y)</a>).<br>',
    "&lt;script&gt;alert(1)&lt;/script&gt;<br>",
    "javascript:alert(1)</p>",
  ];
  for (const part of expected) assert.ok(html?.includes(part), `${part}\n${html}`);
});

test("the HTML part shows all the spaces and blank lines that people approved", () => {
  const shown = (body: string) => {
    const { html } = composeMessage(sequenceEmail({ body })).options;
    return /<body>\n(.*)\n<p><small>/s.exec(String(html))?.[1];
  };
  assert.equal(shown("Net   30 days,\n  10% off"), "<p>Net&nbsp;&nbsp; 30 days,<br>\n&nbsp; 10% off</p>");
  assert.equal(shown("a\tb\r\n\r\n  c &nbsp; d"), "<p>a&nbsp;&nbsp;&nbsp; b</p>\n<p>&nbsp; c &amp;nbsp; d</p>");
  const url = "https://acme.example/a";
  assert.equal(shown(`See  ${url}  now`), `<p>See&nbsp; <a href="${url}">${url}</a>&nbsp; now</p>`);
  assert.equal(shown("a\n\n\nb\n\n\n\nc"), "<p>a</p>\n<p><br>\nb</p>\n<p><br></p>\n<p>c</p>");
});

test("no text creates another element or attribute in the HTML part", () => {
  const marks = fc.stringMatching(/^[<>"'&=/ https:.x()\n]{0,60}$/);
  fc.assert(
    fc.property(fc.oneof(marks, fc.string()), (body) => {
      const { html } = composeMessage(sequenceEmail({ body: `https://${body}` })).options;
      const tags = String(html).match(/<[^>]*>/g) ?? [];
      const known = /^<(?:!doctype html|\/?(?:html|body|p|small|a)|br|a href="https?:\/\/[^"<>]*")>$/;
      for (const tag of tags) assert.match(tag, known);
    }),
  );
});

test("no name of a contact or a workspace can inject a header", async () => {
  const name = 'Ada" <x@evil.example>, Bob; (c) =?utf-8?Q?=0D=0ABcc:_x@evil.example?=';
  const raw = rawOf({ senderName: name, to: { address: "ada@lovelace.example", name }, subject: name });
  const email = await PostalMime.parse(raw);
  assert.deepEqual(
    email.to?.map(({ address }) => address),
    ["ada@lovelace.example"],
  );
  assert.equal(email.from?.address, "sales@acme.example");
  assert.deepEqual([email.bcc, email.cc], [undefined, undefined]);
  assert.deepEqual(
    headersOf(raw)
      .split("\r\n")
      .map((line) => line.split(":")[0]),
    [
      ...["List-Unsubscribe", "List-Unsubscribe-Post", "From", "To", "Subject", "Message-ID", "Date"],
      ...["MIME-Version", "Content-Type"],
    ],
  );
});

test("a subject with an encoded word arrives unchanged, whatever else it contains", async () => {
  const coded = "=?utf-8?Q?Pay_now?=";
  for (const subject of [
    coded,
    `Hi ${coded}, ${coded}`,
    `=?é ${coded} 👩‍💻`,
    `"${coded}"`,
    "=?",
    `${"ü".repeat(90)} ${coded}`,
  ]) {
    assert.equal((await PostalMime.parse(rawOf({ subject }))).subject, subject);
  }
});

test("an email that can't be sent is refused with a readable reason", () => {
  const breaks = ["\r\nBcc: x@evil.example", "\n", "\u2028", "\u0000"];
  const cases: [Partial<SequenceEmail>, RegExp][] = [
    ...breaks.map((mark): [Partial<SequenceEmail>, RegExp] => [
      { subject: `Hi${mark}there` },
      /^subject: has a line break/,
    ]),
    ...breaks.map((mark): [Partial<SequenceEmail>, RegExp] => [{ senderName: `A${mark}B` }, /^name: has a line break/]),
    ...["ada", "a@b.example, c@d.example", "a@b.example\r\nBcc: c@d.example", "<a@b.example>", "a b@c.example", ""].map(
      (address): [Partial<SequenceEmail>, RegExp] => [{ to: { address, name: "" } }, /^email: is not an address/],
    ),
    // The mail library would replace it with the address that it reads.
    ...["a@0x7f.1", "a@1.2", "a@１２７.0.0.1"].map((address): [Partial<SequenceEmail>, RegExp] => [
      { to: { address, name: "" } },
      /^email: mail programs read this address as/,
    ]),
    // As punycode it is "ｂａｎｋ" in full width, which no name may contain: the library would send to é@bank.example.
    ...["é@xn--mi7cb2al.example", "é@XN--MI7CB2AL.example", "a@xn--mi7cb2al.example", "a@x¨y.example"].map(
      (address): [Partial<SequenceEmail>, RegExp] => [
        { to: { address, name: "" } },
        /^email: mail programs read its domain in different ways/,
      ],
    ),
    [{ subject: " " }, /^subject: is empty/],
    [{ subject: "x".repeat(999) }, /^subject: has more than 998/],
    [{ body: "x".repeat(MAX_BODY + 1) }, /^body: has more than 100000/],
  ];
  for (const [given, reason] of cases) {
    assert.throws(
      () => message(given),
      (error: Error) => error instanceof UnsendableEmail && reason.test(error.message),
      JSON.stringify(given).slice(0, 80),
    );
  }
});

test("a message can be composed for any address that a contact can have", () => {
  const fullWidth = "a@ｅxämple\u3002com";
  for (const address of ["a&b@x.example", "a#b@x.example", "müller@example.com", "a@EXÄMPLE.com", fullWidth]) {
    assert.deepEqual(message({ to: { address, name: "A" } }).options.envelope?.to, [address]);
  }
});

test("a message goes to the address that the do-not-contact list compares, or is not sent", () => {
  // The last one is read differently by different versions of Node.
  const names = ["x.example", "EXÄMPLE.com", "x\uFF61example", "1.2", "x.ΟΔΟΣ", "faß.de", "FAẞ.de"];
  // As punycode: in full width, in capitals, with a soft hyphen, with another script's full stop.
  const invalid = ["mi7cb2al", "BCHER-2pa", "bank-rga", "evilbank-rm3g"].map((label) => `xn--${label}.example`);
  const domains = [...names, ...invalid, "x¨y.example"];
  // For an address with non-ASCII letters before its @, the library writes the domain in Unicode.
  for (const address of domains.flatMap((domain) => [`a@${domain}`, `é@${domain}`])) {
    try {
      const { to } = new MailComposer(message({ to: { address, name: "A" } }).options).compile().getEnvelope();
      assert.deepEqual(to.map(emailKey), [emailKey(address)]);
    } catch (error) {
      assert.ok(error instanceof UnsendableEmail, `${address}: ${error}`);
    }
  }
});

test("a sender is an address, or a name and an address", () => {
  assert.deepEqual(parseSender(" ada@lovelace.example "), { name: "", address: "ada@lovelace.example" });
  assert.deepEqual(parseSender("Ada L. <ada@lovelace.example>"), { name: "Ada L.", address: "ada@lovelace.example" });
  assert.deepEqual(parseSender('"L, Ada" <ada@lovelace.example>'), { name: "L, Ada", address: "ada@lovelace.example" });
  for (const text of [
    "",
    "ada",
    "a@b.example, c@d.example",
    "A\nB <a@b.example>",
    "<a@b.example> x",
    "<a@b>",
    '"A\\"" <a@b.example>',
  ]) {
    assert.equal(parseSender(text), undefined, text);
  }
});
