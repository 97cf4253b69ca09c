import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { unsubscribeSubject, unsubscribeToken } from "../../src/domain/outreach/unsubscribe-link.ts";
import { createVault } from "../../src/lib/vault.ts";
import type { Incoming } from "../../src/mail/heading.ts";
import { readIncoming } from "../../src/mail/incoming.ts";
import { messageIdOf } from "../../src/mail/message.ts";

const SEND = randomUUID();
const OURS = messageIdOf(SEND, "sales@acme.example");

const read = (text: string) => readIncoming(Buffer.from(text.replaceAll(/\r?\n/g, "\r\n")));

function mail(headers: Record<string, string>, body = "Sounds good, call me.\n"): string {
  const all = { From: "Ada <ada@lovelace.example>", To: "sales@acme.example", Subject: "Re: Engines", ...headers };
  return `${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n")}\n\n${body}`;
}

function report(type: string, parts: [type: string, content: string][], headers: Record<string, string> = {}): string {
  const content = parts.map(([partType, text]) => `--b1\nContent-Type: ${partType}\n\n${text}\n`).join("");
  return mail(
    {
      From: "Mail Delivery System <MAILER-DAEMON@mx.example>",
      Subject: "Undelivered Mail Returned to Sender",
      "Return-Path": "<>",
      "Auto-Submitted": "auto-replied",
      "Content-Type": `multipart/report; report-type=${type}; boundary="b1"`,
      ...headers,
    },
    `${content}--b1--\n`,
  );
}

const WORDS: [string, string] = ["text/plain", "I am sorry to inform you that your message could not be delivered."];
const RETURNED: [string, string] = [
  "text/rfc822-headers",
  `From: sales@acme.example\nMessage-ID:\n ${OURS}\nSubject: Engines`,
];

function status(fields: Record<string, string>): [string, string] {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return [
    "message/delivery-status",
    `Reporting-MTA: dns; mx.example\nArrival-Date: Fri, 20 Nov 2026 09:00:00 +0000\n\n${lines.join("\n")}`,
  ];
}

const shown = ({ kind, sendId, ...rest }: Incoming, ...names: string[]) => [
  kind,
  sendId,
  ...names.map((name) => (rest as Record<string, unknown>)[name]),
];

test("a reply is matched to its send by In-Reply-To, by the thread, or by the closest of several", async () => {
  const other = messageIdOf(randomUUID(), "sales@acme.example");
  for (const headers of [
    { "In-Reply-To": OURS },
    { References: `${other}\n ${OURS}` },
    { "In-Reply-To": OURS, References: `${OURS} ${other}` },
    { "In-Reply-To": "<theirs@lovelace.example>", References: `${other} ${OURS}\n\t<theirs@lovelace.example>` },
  ]) {
    const read_ = await read(mail({ "Message-ID": "<r1@lovelace.example>", ...headers } as Record<string, string>));
    assert.deepEqual(shown(read_, "from", "messageId", "excerpt"), [
      ...["reply", SEND, "ada@lovelace.example", "<r1@lovelace.example>", "Sounds good, call me."],
    ]);
  }
});

test("a reply to a Message-ID that a server assigned in place of ours is a reply, with all its references", async () => {
  const read_ = await read(mail({ "In-Reply-To": "<a@prod.outlook.com>", References: "<x@y> <a@prod.outlook.com>" }));
  assert.deepEqual(shown(read_, "refersTo"), ["reply", undefined, ["<a@prod.outlook.com>", "<x@y>"]]);
});

test("mail that replies to nothing of ours is ignored, whatever it says", async () => {
  for (const text of [mail({}), mail({ Subject: "unsubscribe" }), "", "\0\0\0", "no header at all"]) {
    assert.equal((await read(text)).kind, "other", text.slice(0, 40));
  }
});

/** How real programs mark their automatic replies. */
const AUTOMATIC: [string, Record<string, string>][] = [
  [
    "Gmail",
    {
      Subject: "Out of office Re: Engines",
      "Auto-Submitted": "auto-replied",
      Precedence: "bulk",
      "X-Autoreply": "yes",
    },
  ],
  [
    "Exchange",
    { Subject: "Automatic reply: Engines", "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  ],
  ["Sieve", { "Auto-Submitted": "auto-replied (vacation)" }],
  ["vacation(1)", { Precedence: "junk" }],
  ["cPanel", { "X-Autorespond": "Engines", Precedence: "auto_reply" }],
  ["RFC 3834, a value to come", { "Auto-Submitted": "x-by-a-program" }],
  ["RFC 5436", { "Auto-Submitted": 'auto-notified; owner-email="ada@lovelace.example"' }],
  ["Exchange, its switches by name", { "X-Auto-Response-Suppress": "DR, RN, NRN, OOF, AutoReply" }],
  ["Kerio", { "X-Autoreply-From": "ada@lovelace.example" }],
  ["FirstClass", { "X-FC-MachineGenerated": "true" }],
  ["a null sender", { "Return-Path": "<>" }],
  ["Outlook in German, marks removed", { Subject: "Automatische Antwort: Engines" }],
  ["Notes in German", { Subject: "Abwesenheitsnotiz: Engines" }],
  ["French", { Subject: "=?utf-8?Q?R=C3=A9ponse_automatique_=3A_Engines?=" }],
  ["Japanese", { Subject: `=?utf-8?B?${Buffer.from("自動応答: Engines").toString("base64")}?=` }],
  ["Out of office by hand", { Subject: "Out of Office" }],
];

for (const [whose, headers] of AUTOMATIC) {
  test(`an automatic reply is recognized: ${whose}`, async () => {
    assert.deepEqual(shown(await read(mail({ "In-Reply-To": OURS, ...headers }))), ["automatic", SEND]);
  });
}

test("a person's reply counts as one, through mailing lists and rules, regardless of its subject", async () => {
  for (const headers of [
    { Precedence: "list", "List-Id": "<sales.acme.example>" },
    { "Auto-Submitted": "no" },
    { "X-Autoreply": "no" },
    { "Auto-Submitted": "No" },
    { "X-Auto-Response-Suppress": "OOF" },
    { "X-MS-Exchange-Inbox-Rules-Loop": "sales@acme.example" },
    { "Return-Path": "<ada@lovelace.example>" },
    { Subject: "Re: Out of office tools" },
    { Subject: "Automatic replying machines" },
    { Subject: "Abwesend war ich lange" },
  ]) {
    const read_ = await read(mail({ "In-Reply-To": OURS, ...headers } as Record<string, string>));
    assert.equal(read_.kind, "reply", JSON.stringify(headers));
  }
});

const BOUNCES: [string, string, boolean][] = [
  [
    "Postfix, nobody there",
    report("delivery-status", [
      WORDS,
      status({
        "Final-Recipient": "rfc822; ada@lovelace.example",
        "Original-Recipient": "rfc822;ada@lovelace.example",
        Action: "failed",
        Status: "5.1.1",
        "Diagnostic-Code": "smtp; 550 5.1.1 <ada@lovelace.example>: Recipient address rejected:\n    User unknown",
      }),
      RETURNED,
    ]),
    true,
  ],
  [
    "Postfix, no such domain",
    report("delivery-status", [
      WORDS,
      status({
        "Final-Recipient": "rfc822; ada@lovelace.example",
        Action: "failed",
        Status: "5.4.4",
        "Diagnostic-Code": "X-Postfix; Host or domain name not found. Name service error",
      }),
      ["message/rfc822", `Message-ID: ${OURS}\nSubject: Engines\n\nHi`],
    ]),
    true,
  ],
  [
    "Exchange, without the header given back",
    report(
      "delivery-status",
      [
        ["text/html", "<p>ada wasn't found at lovelace.example</p>"],
        status({
          "Final-Recipient": "rfc822;ada@lovelace.example",
          Action: "failed",
          Status: "5.1.10",
          "Diagnostic-Code": "smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found",
        }),
      ],
      { "In-Reply-To": OURS, Subject: "Undeliverable: Engines", From: "postmaster@lovelace.example" },
    ),
    true,
  ],
  [
    "a full mailbox",
    report("delivery-status", [
      WORDS,
      status({
        "Final-Recipient": "rfc822; ada@lovelace.example",
        Action: "failed",
        Status: "5.2.2",
        "Diagnostic-Code": "smtp; 552 5.2.2 Over quota",
      }),
      RETURNED,
    ]),
    false,
  ],
  [
    "spam",
    report("delivery-status", [
      WORDS,
      status({
        "Final-Recipient": "rfc822; ada@lovelace.example",
        Action: "Failed",
        Status: "5.7.1",
        "Diagnostic-Code": "smtp; 550 5.7.1 blocked; user unknown to our reputation service",
      }),
      RETURNED,
    ]),
    false,
  ],
  [
    "given up after days of answers for now",
    report("delivery-status", [
      WORDS,
      status({
        "Final-Recipient": "rfc822; ada@lovelace.example",
        Action: "failed",
        Status: "4.4.7",
        "Diagnostic-Code": "smtp; 450 4.1.1 user unknown for now",
      }),
      RETURNED,
    ]),
    false,
  ],
  [
    "qmail in its own words",
    mail(
      { From: "MAILER-DAEMON@mx.example", Subject: "failure notice" },
      `Hi. This is the qmail-send program at mx.example.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<ada@lovelace.example>:\n192.0.2.1 does not like recipient.\nRemote host said: 550 5.1.1 No such user\nGiving up on 192.0.2.1.\n\n--- Below this line is a copy of the message.\n\nReceived: from x\nMessage-ID: ${OURS}\nSubject: delayed trains\n`,
    ),
    true,
  ],
  [
    "old Exim",
    mail(
      {
        From: "Mail Delivery System <Mailer-Daemon@mx.example>",
        Subject: "Mail delivery failed: returning message to sender",
        "X-Failed-Recipients": "ada@lovelace.example",
        "Auto-Submitted": "auto-replied",
      },
      `This message was created automatically by mail delivery software.\n\n  ada@lovelace.example\n    host mx.lovelace.example [192.0.2.1]:\n    550 User unknown\n\n------ This is a copy of the message ------\n\nMessage-ID: ${OURS}\n`,
    ),
    true,
  ],
  [
    "an old server that gives no reason",
    mail(
      { From: "postmaster@mx.example", Subject: "Undeliverable: Engines" },
      `Your message did not reach\n<ada@lovelace.example>\n\nMessage-ID: ${OURS}\n`,
    ),
    false,
  ],
];

for (const [whose, source, hard] of BOUNCES) {
  test(`a bounce names its send and its recipient, and is ${hard ? "hard" : "not hard"}: ${whose}`, async () => {
    const bounce = await read(source);
    assert.deepEqual(shown(bounce, "recipient", "hard"), ["bounce", SEND, "ada@lovelace.example", hard]);
    assert.ok(bounce.kind === "bounce" && bounce.detail !== "" && bounce.detail.length <= 300);
  });
}

test("a delay, a delivery report, a receipt and unrelated daemon mail are not bounces", async () => {
  const delay = status({ "Final-Recipient": "rfc822; ada@lovelace.example", Action: "delayed", Status: "4.4.1" });
  const delivered = status({ "Final-Recipient": "rfc822; ada@lovelace.example", Action: "relayed", Status: "2.0.0" });
  const old = `Message will be retried for 2 more days.\n\nMessage-ID: ${OURS}\n`;
  for (const source of [
    report("delivery-status", [WORDS, delay, RETURNED]),
    report("delivery-status", [WORDS, delivered, RETURNED]),
    report("delivery-status", [WORDS, RETURNED]),
    report("disposition-notification", [WORDS, ["message/disposition-notification", `Original-Message-ID: ${OURS}`]]),
    mail(
      { From: "MAILER-DAEMON@mx.example", Subject: "Returned mail: warning", "In-Reply-To": OURS, "Return-Path": "<>" },
      old,
    ),
  ]) {
    assert.equal((await read(source)).kind, "automatic");
  }
  const foreign = mail(
    { From: "mailer-daemon@mx.example", Subject: "failure notice" },
    "<x@y.example>:\n550 no such user\n",
  );
  assert.equal((await read(foreign)).kind, "other");
  const person = mail({ Subject: "Undeliverable: Engines", "In-Reply-To": OURS }, "550 5.1.1 no such user, ha ha\n");
  assert.equal((await read(person)).kind, "reply");
});

test("a complaint is recognized by its report (RFC 5965), unless it says that it was not spam", async () => {
  const feedback = (type: string): [string, string] => [
    "message/feedback-report",
    `Feedback-Type: ${type}\nVersion: 1`,
  ];
  const original: [string, string] = ["message/rfc822", `Message-ID: ${OURS}\nSubject: Engines\n\nHi`];
  const from = { From: "fbl@mail.example", Subject: "Complaint" };
  assert.deepEqual(shown(await read(report("feedback-report", [WORDS, feedback("abuse"), original], from))), [
    "complaint",
    SEND,
  ]);
  const kind = (await read(report("feedback-report", [WORDS, feedback("not-spam"), original], from))).kind;
  assert.equal(kind, "automatic");
});

test("a message to the List-Unsubscribe address returns its token, even if a program sent it", async () => {
  const token = unsubscribeToken(createVault(randomBytes(32)), {
    workspaceId: SEND,
    contactId: SEND,
    sendId: SEND,
    address: "ada@lovelace.example",
  });
  const folded = unsubscribeSubject(token).replace(" ", "\n ");
  const read_ = await read(mail({ Subject: folded, "Auto-Submitted": "auto-generated" }, ""));
  assert.equal(read_.token, token);
});

const QUOTED: [string, string, string][] = [
  [
    "Gmail",
    "Yes, please.\n\nAda\n\nOn Fri, 20 Nov 2026 at 09:00, Acme <sales@acme.example>\nwrote:\n\n> Hi Ada,\n> how",
    "Yes, please.\n\nAda",
  ],
  ["Apple Mail", "Yes.\n\n> On 20 Nov 2026, at 09:00, Acme wrote:\n> \n> Hi", "Yes."],
  ["Outlook", "Yes.\n\n________________________________\nFrom: Acme <sales@acme.example>\nSent: Friday\n\nHi", "Yes."],
  ["Outlook, old", "Yes.\n\n-----Original Message-----\nFrom: Acme\n\nHi", "Yes."],
  ["German", "Ja.\n\nAm Fr., 20. Nov. 2026 um 09:00 Uhr schrieb Acme <\nsales@acme.example>:\n\n> Hi", "Ja."],
  ["French", "Oui.\n\nLe ven. 20 nov. 2026 à 09:00, Acme <sales@acme.example> a écrit :\n\n> Hi", "Oui."],
  ["below the quote", "> Hi Ada,\n> how?\n\nFine, thank you.", "> Hi Ada,\n> how?\n\nFine, thank you."],
  [
    "words that only look like it",
    "On Monday I wrote to Bob.\nFrom: here to there",
    "On Monday I wrote to Bob.\nFrom: here to there",
  ],
];

for (const [whose, body, excerpt] of QUOTED) {
  test(`an excerpt contains what the person wrote: ${whose}`, async () => {
    assert.deepEqual(shown(await read(mail({ "In-Reply-To": OURS }, body)), "excerpt"), ["reply", SEND, excerpt]);
  });
}

test("an excerpt of HTML-only mail is text, without the quote, styles, scripts and pictures", async () => {
  const html =
    '<style>p{}</style><div>Yes &amp; <b>soon</b>.<br>Ada<img src="https://t.example/p.gif"></div><script>x()</script>' +
    '<div class="gmail_quote">On Friday</div><blockquote>Hi Ada</blockquote>';
  const read_ = await read(mail({ "In-Reply-To": OURS, "Content-Type": "text/html; charset=utf-8" }, html));
  assert.deepEqual(shown(read_, "excerpt"), ["reply", SEND, "Yes & soon.\nAda"]);
});

test("an excerpt has a maximum length, for any input", async () => {
  for (const body of [
    "x".repeat(500_000),
    `${"a b ".repeat(50)}\n`.repeat(5_000),
    "> ".repeat(200_000),
    "On ".repeat(200_000),
  ]) {
    const read_ = await read(mail({ "In-Reply-To": OURS }, body));
    assert.ok(read_.kind === "reply" && read_.excerpt.length <= 2_000);
  }
  const deep = `${"<div>".repeat(50_000)}Yes`;
  assert.equal((await read(mail({ "In-Reply-To": OURS, "Content-Type": "text/html" }, deep))).kind, "reply");
});

test("no input makes parsing fail or take long", async () => {
  const sources = [...BOUNCES.map(([, source]) => source), mail({ "In-Reply-To": OURS })].map((text) =>
    Buffer.from(text),
  );
  const mutated = fc
    .tuple(fc.constantFrom(...sources), fc.nat(), fc.uint8Array({ maxLength: 40 }))
    .map(([source, at, bytes]) =>
      Buffer.concat([source.subarray(0, at % source.length), bytes, source.subarray(at % source.length)]),
    );
  await fc.assert(
    fc.asyncProperty(fc.oneof(mutated, fc.uint8Array({ maxLength: 500 })), async (source) => {
      const { kind } = await readIncoming(source);
      assert.ok(["reply", "automatic", "bounce", "complaint", "other"].includes(kind));
    }),
  );
});

test("a message crafted to be slow keeps the server busy only for a moment", async () => {
  const daemon = { From: "mailer-daemon@mx.example", Subject: "Undeliverable", "In-Reply-To": OURS };
  const parts = (type: string) => ({ "In-Reply-To": OURS, "Content-Type": `multipart/${type}; boundary="b1"` });
  const MIB = 1024 * 1024;
  const slow: Record<string, string> = {
    "a line of dashes": mail(daemon, "-".repeat(64 * 1024)),
    "nothing but line breaks": mail({ "In-Reply-To": OURS }, "\n".repeat(MIB / 2)),
    "nothing but carriage returns": mail({ "In-Reply-To": OURS }, "\r".repeat(MIB)),
    "a report of blank lines": mail(
      parts("report; report-type=delivery-status"),
      `--b1\nContent-Type: message/delivery-status\n\n${"\n \t".repeat(MIB / 4)}\n--b1--`,
    ),
    "messages within messages": mail(parts("mixed"), "--b1\nContent-Type: message/rfc822\n\n".repeat(20_000)),
  };
  for (const [what, text] of Object.entries(slow)) {
    const source = Buffer.from(what.includes("returns") ? text : text.replaceAll("\n", "\r\n"));
    const before = process.cpuUsage();
    await readIncoming(source);
    const { user, system } = process.cpuUsage(before);
    assert.ok(user + system < 1_200_000, `${what}: ${Math.round((user + system) / 1000)} ms`);
  }
});

test("a reply above a very long attachment is read, and so is a report above a long returned message", async () => {
  const type = { "In-Reply-To": OURS, "Content-Type": 'multipart/mixed; boundary="b1"' };
  const attached = `--b1\nContent-Type: text/plain\n\nYes.\n--b1\nContent-Type: text/csv\n\n${"a;b\n".repeat(50_000)}--b1--\n`;
  assert.deepEqual(shown(await read(mail(type, attached)), "excerpt"), ["reply", SEND, "Yes."]);
  const status: [string, string] = [
    "message/delivery-status",
    "Reporting-MTA: dns; mx.example\n\nFinal-Recipient: rfc822; ada@lovelace.example\nAction: failed\nStatus: 5.1.1",
  ];
  const whole: [string, string] = ["message/rfc822", `${RETURNED[1]}\n\n${"x\n".repeat(50_000)}`];
  assert.deepEqual(shown(await read(report("delivery-status", [WORDS, status, whole])), "hard"), [
    "bounce",
    SEND,
    true,
  ]);
});
