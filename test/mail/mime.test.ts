import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import MailComposer from "nodemailer/lib/mail-composer";
import PostalMime from "postal-mime";
import type { SequenceEmail } from "../../src/mail/message.ts";
import { encodeMessage } from "../../src/mail/mime.ts";
import { message } from "./messages.ts";

const OPTIONS = { baseBoundary: "engines", newline: "windows" };

const optionsOf = (given: Partial<SequenceEmail>) => ({ ...message(given).options, ...OPTIONS });

test("a message has the bytes that the library would stream", async () => {
  const bodies = [
    "Hi Ada,\n\nhow are the engines?\n",
    "Hi Ada,\r\n\r\n.\r\n..dots\r\nend",
    `${"ü".repeat(500)}\n${"long words ".repeat(200)}\n`,
    "日本語の本文です。".repeat(40),
    `= equals =\n${"a".repeat(2_000)}\ttab`,
    "👩‍💻".repeat(300),
    "Größe der Maschinen, ".repeat(4_700),
  ];
  for (const body of bodies) {
    for (const more of [{}, { subject: "Größe €", senderName: "Jörg", earlier: ["<a@b>", "<c@d>"] }]) {
      const options = optionsOf({ body, ...more });
      const streamed = await new MailComposer(options).compile().build();
      assert.equal(String(encodeMessage(options)), String(streamed));
    }
  }
});

test("any text arrives as it was written, in lines that every mail server takes", async () => {
  const line = fc.stringMatching(/^[ -~äöüß€日本👩\t]{0,200}$/u);
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (lines) => {
      const body = `Hi\n${lines.join("\n")}\nend`;
      const raw = encodeMessage(optionsOf({ body }));
      assert.ok(!/[^\r]\n|\r[^\n]/.test(String(raw)) && String(raw).endsWith("\r\n"));
      assert.ok(
        String(raw)
          .split("\r\n")
          .every((part) => Buffer.byteLength(part) <= 998),
      );
      assert.ok((await PostalMime.parse(raw)).text?.startsWith(`${body}\n`));
    }),
  );
});

test("a long text arrives as it was written, and any kind of line end arrives as CRLF", async () => {
  // Beyond 64 KiB, the library breaks lines in other places.
  const long = `${"Größe, ".repeat(9_000)}\n${"の".repeat(20_000)}\nend`;
  assert.ok((await PostalMime.parse(encodeMessage(optionsOf({ body: long })))).text?.startsWith(`${long}\n`));
  const raw = String(encodeMessage({ ...optionsOf({}), text: "one\rtwo\nthree\r\nfour" }));
  assert.ok(raw.includes("\r\none\r\ntwo\r\nthree\r\nfour\r\n"));
});

test("content that is not text is refused instead of sent in part", () => {
  const options = { ...message().options, attachments: [{ content: Buffer.from("engines") }] };
  assert.throws(() => encodeMessage(options), /must be text/);
});
