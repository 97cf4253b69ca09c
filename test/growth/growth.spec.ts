import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createVault } from "../../src/lib/vault.ts";
import { sequenceEmail } from "../mail/messages.ts";

/**
 * Functions that process third-party text must take linear time: one that takes quadratic time stalls every tenant.
 * Each of these functions is called with 100 kB and 200 kB of repeated characters. A new one that takes text must be
 * listed here, or below with its other kind of input.
 */
type Call = (run: (...given: any[]) => unknown, text: string) => unknown;

const one: Call = (run, text) => run(text);
const list: Call = (run, text) => run([text]);
const bytes: Call = (run, text) => run(Buffer.from(text));

const FILLINGS = { first_name: "Ada", last_name: null, company: "Acme", job_title: null, sender_name: null };
const STEPS = [{ type: "email", subject: "{{first_name}} {{company}}", body: "{{last_name}}", delay_days: 0 }];
const LINK = "https://acme.example/unsubscribe/v1.abc";
const ID = "01a20648-b6fb-7363-a551-7a2b37377f80";
const OURS = `<rostrum.${ID}@acme.example>`;
const vault = createVault(randomBytes(32));

const recipientOf = (text: string) => ({
  ...FILLINGS,
  id: ID,
  email: text,
  socialnet_url: text,
  first_name: text,
  last_name: text,
  company: text,
});
const emailOf = (text: string) => ({
  headers: [...HEADERS, "content-type"].map((key) => ({ key, originalKey: key, value: text })),
  headerLines: [],
  attachments: PARTS.map((mimeType) => ({ mimeType, content: text, filename: null, disposition: null })),
  from: { name: "", address: "mailer-daemon@mx.example" },
  subject: `Undeliverable ${text}`,
  inReplyTo: OURS,
  text: `${OURS} ${text}`,
});
const HEADERS = ["subject", "from", "message-id", "in-reply-to", "references", "return-path", "auto-submitted"];
const PARTS = ["message/delivery-status", "message/feedback-report", "message/rfc822"];
const report = (text: string) => {
  const { headers, ...email } = emailOf(text);
  const value = "multipart/report; report-type=delivery-status";
  return { ...email, headers: [{ key: "content-type", originalKey: "Content-Type", value }, ...headers] };
};
const mailOf = (text: string, type = "text/plain") =>
  Buffer.from(`In-Reply-To: ${OURS}\r\nContent-Type: ${type}; boundary=b\r\n\r\n${text}`);
const rows = (text: string) => [
  ["Email", "Tags", "Phone 1 - Value", "Name", text],
  [text, text, text, text, text],
];

const TYPE = "multipart/form-data; boundary=b";

const FUNCTIONS: Record<string, Call | Call[]> = {
  "services/contacts/csv/columns.ts#columnKey": one,
  "services/contacts/csv/columns.ts#planColumns": list,
  "services/contacts/csv/columns.ts#findHeader": (run, text) => run(rows(text)),
  "services/contacts/csv/columns.ts#readFields": (run, text) =>
    run({ sources: { email: [0], tags: [1], phone: [2], name: [3], website: [4] } }, rows(text)[1]),
  "services/contacts/csv/rejected-rows.ts#rejectedText": (run, text) =>
    run({ header: [text], delimiter: "," }, [{ row: { cells: [text], line: 1 }, reason: text }]),
  "services/contacts/csv/formula.ts#escapeFormula": one,
  "services/contacts/csv/formula.ts#unescapeFormula": one,
  "services/contacts/csv/text.ts#readContactText": [
    one,
    (run, text) => run(`Email,Name\n${text}\n`),
    (run, text) => run(`Ada <a@b.example>\n${text}`),
  ],
  "http/multipart.ts#isMultipart": one,
  "http/multipart.ts#readMultipart": [
    (run, text) => run(Buffer.from(`--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n${text}\r\n--b--`), TYPE),
    (run, text) => run(Buffer.from(`--b\r\n${text}\r\n\r\n1\r\n--b--`), TYPE),
    (run, text) => run(Buffer.from("--b\r\n".repeat(text.length)), TYPE),
  ],
  "console/app/form-data.ts#readForm": [
    (run, text) => run(Buffer.from(`a=${encodeURIComponent(text)}`)),
    (run, text) => run(Buffer.from(text)),
  ],
  "console/app/form-data.ts#readFields": (run, text) => run([[text, text]]),
  "console/app/form-data.ts#toInput": (run, text) =>
    run(new Map(["a", "b:week", "c:lines", "d:moment", "e:number", text].map((name) => [name, [text]]))),
  "console/app/form-data.ts#typedTexts": (run, text) => run(new Map([[text, [text]]])),
  "console/app/form-data.ts#readWeek": list,
  "console/app/form-data.ts#spansOf": one,
  "console/app/form-merge.ts#isAboutSame": (run, text) =>
    run({ ids: new Map([["id", text]]) }, new Map([["id", [text]]])),
  "console/app/form-merge.ts#mergeForm": (run, text) => {
    const names = Array.from({ length: text.length / 50 }, (_, i) => [`n${i}`, text.slice(0, 20)]);
    return run(new Map([["_seen", [JSON.stringify(Object.fromEntries(names))]]]), new Map());
  },
  "console/app/respond.ts#pathWithin": one,
  "console/app/respond.ts#page": (run, text) => run(200, `${text}\u202e`),
  "console/ui/form.tsx#faultText": (run, text) => run(`name: ${text}`, "name", "Name"),
  "console/ui/labels.ts#codeLabel": one,
  "console/ui/labels.ts#deliveryOutcome": one,
  "console/ui/labels.ts#suppressionReason": one,
  "console/ui/labels.ts#revealed": one,
  "console/ui/labels.ts#withoutGaps": one,
  "console/ui/labels.ts#isGuid": one,
  "console/ui/markdown.tsx#hasMarkdown": one,
  "console/ui/markdown.tsx#rendersWhole": one,
  "domain/access/oauth.ts#isRegistered": one,
  "domain/access/oauth.ts#redirectRefusal": [one, (run, text) => run(`http://127.0.0.1/${text}`)],
  "domain/access/oauth.ts#isRedirectOf": (run, text) => run(`http://127.0.0.1/${text}`, `http://127.0.0.1:1/${text}`),
  "domain/access/roles.ts#recognizedScopes": list,
  "domain/contacts/address.ts#lowerCase": one,
  "domain/contacts/account.ts#nameKey": one,
  "domain/contacts/account.ts#hostName": [one, (run, text) => run(`https://${text}`)],
  "domain/contacts/address.ts#isEmail": one,
  "domain/contacts/address.ts#isAnyAddress": one,
  "domain/contacts/address.ts#emailKey": [one, (run, text) => run(`ü@${text}`)],
  "domain/contacts/address.ts#misreadFault": [one, (run, text) => run(`ü@${text}`)],
  "domain/contacts/address.ts#emailPin": one,
  "domain/contacts/address.ts#profileKey": [one, (run, text) => run(`https://a.example/${text}`)],
  "domain/contacts/address.ts#profilePin": [one, (run, text) => run(`https://a.example/${text}`)],
  "domain/contacts/address.ts#profileTail": [one, (run, text) => run(`https://a.example/${text}`)],
  "domain/contacts/address.ts#leavesTheWeb": one,
  "domain/contacts/contact.ts#mergeTags": (run, text) => run([], [text]),
  "domain/outreach/answer.ts#answerText": (run, text) =>
    run(
      { contactId: ID, address: text, subject: text, body: text, inReplyTo: text, thread: [text], delivery: "send" },
      { contactEmail: text, senderName: text, mailFrom: text, newestReplyId: ID, lastReplyId: ID },
    ),
  "domain/outreach/answer.ts#answerSubject": [one, (run, text) => run(`re:${text}`)],
  "domain/outreach/conversation.ts#previewOf": one,
  "domain/outreach/message-body.ts#textOf": (run, text) => run(text, LINK),
  "domain/outreach/message-body.ts#htmlOf": [
    (run, text) => run(text, LINK),
    (run, text) => run(`https://a.example/${text}`, LINK),
  ],
  "domain/outreach/sending.ts#messageFault": (run, text) => run({ subject: text, body: text, names: [text] }),
  "domain/outreach/sequence.ts#placeholdersIn": (run, text) => run([{ ...STEPS[0], body: text }]),
  "domain/outreach/sequence.ts#sequenceText": (run, text) =>
    run([{ ...STEPS[0], body: text }], { account: { id: ID, profileUrl: text }, senderName: text, mailFrom: text }),
  "domain/outreach/sequence.ts#stepsText": (run, text) => run([{ ...STEPS[0], body: text }]),
  "domain/outreach/sequence.ts#copyText": (run, text) => run(recipientOf(text), STEPS),
  "domain/outreach/sequence.ts#addresseeOf": (run, text) => run(recipientOf(text), STEPS),
  "domain/outreach/simulate.ts#simulate": (run, text) => {
    const contact = { id: ID, name: text, hasEmail: true, hasProfile: true, suppressed: false, connected: false };
    const policy = { timeZone: "UTC", windows: [], dailyCap: null };
    return run(STEPS, [{ ...contact, fillings: recipientOf(text) }], policy, { from: 0, days: 3 });
  },
  "domain/outreach/template.ts#namesIn": one,
  "domain/outreach/template.ts#templateFault": one,
  "domain/outreach/template.ts#renderedValue": (run, text) => run(recipientOf(text), "company"),
  "domain/outreach/template.ts#fillTemplate": [
    (run, text) => run(text, FILLINGS),
    (run, text) => run("{{company}}", { ...FILLINGS, company: text }),
  ],
  "domain/outreach/unsubscribe-link.ts#readUnsubscribeToken": (run, text) => run(vault, text),
  "domain/outreach/unsubscribe-link.ts#tokenInSubject": [one, (run, text) => run(`unsubscribe ${text}`)],
  "domain/socialnet/recurrence.ts#recurrenceFault": [one, (run, text) => run(`FREQ=DAILY;${text}`)],
  "domain/text/excerpt.ts#excerptOf": one,
  "domain/text/hidden.ts#hasHidden": one,
  "domain/text/hidden.ts#revealHidden": [one, (run, text) => run(`\u202e${text}`)],
  "domain/text/hidden.ts#withoutHidden": [one, (run, text) => run(`\u202e${text}`)],
  "domain/text/marks.ts#marksOf": (run, text) => run(text, text, true),
  "domain/text/marks.ts#addressMarksOf": (run, text) => run(text, true),
  "domain/text/nearest.ts#nearestName": (run, text) => run(text, ["contact_id"]),
  "domain/text/redact.ts#redact": one,
  "domain/text/words.ts#wordsOf": [one, (run, text) => run(`ü${text}`)],
  "domain/text/words.ts#searchOf": [one, (run, text) => run(`ü${text}`)],
  "domain/text/words.ts#beginsWords": (run, text) => run([text], [text]),
  "domain/text/words.ts#contactText": (run, text) => run(text, text, text, text),
  "domain/text/words.ts#withoutTopLevel": one,
  "domain/time/calendar.ts#isTimeZone": one,
  "events/sign.ts#isWebhookSecret": [one, (run, text) => run(`whsec_${text}`)],
  "http/json.ts#parseJson": [
    bytes,
    (run, text) => run(Buffer.from(JSON.stringify({ [text]: text }))),
    (run, text) => run(Buffer.from(`[${"1,".repeat(text.length / 2)}1${"0".repeat(text.length / 2)}]`)),
  ],
  "lib/database-url.ts#shownUrl": [one, (run, text) => run(`postgres://u:${text}@host/db?${text}`)],
  "lib/http-client/addresses.ts#isPublicAddress": one,
  "lib/http-client/addresses.ts#isLoopback": one,
  "lib/http-client/addresses.ts#checkUrl": (run, text) => run(`https://${text}`, { allowPrivate: [] }),
  "lib/mail-server.ts#parseSender": one,
  "lib/mail-server.ts#domainOf": one,
  "lib/secrets.ts#hashSecret": one,
  "lib/secrets.ts#keyFault": [one, (run, text) => run(`ros_live_${text}`)],
  "lib/secrets.ts#keyPrefix": one,
  "lib/trim-end.ts#trimEndOf": (run, text) => run(text, text.slice(0, 2)),
  "mail/bounce-report.ts#bounceIn": [(run, text) => run(emailOf(text)), (run, text) => run(report(text))],
  "mail/bounce-report.ts#returnedIds": (run, text) => run(emailOf(text)),
  "mail/bounce-report.ts#mayReport": (run, text) => run(emailOf(text)),
  "mail/bounce-report.ts#fieldBlocks": [one, (run, text) => run(`A: ${text}`)],
  "mail/heading.ts#readHeading": [
    bytes,
    ...HEADERS.map(
      (name): Call =>
        (run, text) =>
          run(Buffer.from(`${name}: ${text}`)),
    ),
  ],
  "mail/heading.ts#automaticReason": (run, text) => run(emailOf(text)),
  "mail/heading.ts#keepsSubject": (run, text) => run({ kind: "automatic", reason: "", subject: text }, text),
  "mail/incoming.ts#readIncoming": [
    (run, text) => run(mailOf(text)),
    (run, text) => run(mailOf(text, "text/html")),
    (run, text) => run(mailOf(`${text}\n`.repeat(2), "text/plain; format=flowed")),
  ],
  "mail/message.ts#composeMessage": (run, text) =>
    run(
      sequenceEmail({ body: text.slice(0, 100_000), to: { address: "a@b.example", name: text.replaceAll("\n", "") } }),
    ),
  "mail/message.ts#sendIdOf": one,
  "mail/message.ts#messageIdsIn": one,
  "mail/message.ts#threadIdsIn": [
    one,
    (run, text) => run(`<${text.slice(0, 200)}@b>`.repeat(text.length / 200)),
    (run, text) => run("<a@b> ".repeat(text.length / 6)),
  ],
  "mail/outcome.ts#verdictOn": (run, text) => run({ code: 550, text }),
  "mail/outcome.ts#enhancedStatus": one,
  "mail/outcome.ts#detailOf": one,
  "mail/outcome.ts#outcomeOf": (run, text) =>
    run({ message: text, response: text, responseCode: 550, command: "RCPT TO" }, "nothing"),
};

/** The inputs of the others, by file, or by file and function. */
const NOT_OF_OUTSIDERS: Record<string, readonly string[]> = {
  "names, codes, ids and paths of our own": [
    ...["console/app/page-context.ts", "console/app/scope-map.ts", "console/app/screen.ts"],
    ...["console/app/sidebar.ts", "console/ui/basics.tsx", "console/ui/flash-messages.ts", "console/ui/status.tsx"],
    "console/ui/shortcuts.ts",
    ...["console/app/respond.ts#goTo", "console/app/respond.ts#sendFile"],
    ...["console/ui/labels.ts#statusLabel", "console/ui/labels.ts#sourceLabel", "console/ui/labels.ts#actorLabel"],
    ...[
      "console/ui/labels.ts#operationTitle",
      "console/ui/labels.ts#isRepeated",
      "domain/outreach/simulate.ts#isSkipped",
      "domain/contacts/activity.ts#isReply",
    ],
    ...["console/ui/connecting.tsx", "core/actor.ts", "core/envelope.ts", "core/problem.ts", "core/json-schema.ts"],
    ...["domain/checklist/due.ts", "domain/checklist/review.ts", "events/catalog.ts", "events/protocol.ts"],
    ...["domain/outreach/sending.ts#postponementOf", "domain/outreach/sending.ts#waitsFor", "events/subscription.ts"],
    ...["http/health.ts", "http/server-url-file.ts", "http/server.ts", "lib/data-folder.ts", "lib/log.ts"],
    ...["http/command-socket.ts", "http/health-listener.ts", "http/static-page.ts", "lib/disk-fault.ts"],
    ...["lib/disk-use.ts", "lib/write-file.ts"],
    ...[
      "lib/package.ts",
      "lib/vault.ts",
      "mail/notification-email.ts",
      "mail/sending-domain.ts",
      "domain/outreach/unsubscribe-link.ts",
    ],
    ...["mail/message.ts#messageIdOf", "mail/bounce-report.ts#header", "services/contacts/csv/columns.ts#identifies"],
  ],
  "headers of a request, which Node limits to 16 KiB": [
    ...["console/app/origin.ts", "console/app/session.ts", "console/app/member-api.ts"],
  ],
  "settings and arguments of the operator": [
    ...["http/cors.ts", "lib/command-line.ts"],
    ...[
      "services/contacts/csv/file.ts#inspectCsv",
      "services/contacts/csv/layout.ts#parseMapping",
      "lib/mail-server.ts#parseMailServer",
    ],
    ...["lib/http-client/resolve.ts", "lib/http-client/addresses.ts#isAllowedAddress"],
    ...["lib/http-client/addresses.ts#networkOf", "lib/http-client/addresses.ts#subnetOf"],
  ],
  "dates and numbers": [
    ...["domain/time/calendar.ts", "domain/time/date.ts", "domain/socialnet/eligibility.ts", "console/ui/format.ts"],
    ...["domain/outreach/sequence.ts#firstDueAt", "domain/outreach/sequence.ts#usesAccount"],
    "domain/outreach/sequence.ts#isNetworkStep",
  ],
  "what others of this list were given": [
    "events/sign.ts#signerOf",
    ...["domain/outreach/template.ts#fillingsOf", "domain/outreach/sequence.ts#renderedFields"],
    ...["domain/outreach/sequence.ts#findMovedStep", "domain/access/oauth.ts#redirectHost"],
    ...["domain/access/oauth.ts#isOnThisMachine", "http/json.ts#reply"],
    ...["http/json.ts#replyProblem", "console/ui/refusal.tsx", "console/ui/diff.tsx"],
    "console/ui/rendered.tsx#htmlNode",
  ],
};

const FOLDERS = [
  "domain",
  "mail",
  "lib",
  "http",
  "events",
  "core",
  "services/contacts/csv",
  "console/app",
  "console/ui",
];
const EXPORTED =
  /^export (?:async )?(?:function|const) (\w+)(?:<[^(]*>)?(?: = (?:async )?)?\(([\s\S]*?)\)(?::|\s*=>|\s*\{)/gm;
const TAKES_TEXT =
  /\b(?:string|Buffer|Uint8Array|Typed|Email|Head|Recipient|Steps?|Refusal|SendFailure|SequenceEmail|Fillings|ColumnPlan|SimulatedContact)\b/;

test("every function that takes text is listed with how to call it, or with its other kind of input", () => {
  const exported = FOLDERS.flatMap((folder) =>
    readdirSync(join("src", folder), { recursive: true, encoding: "utf8" })
      .filter((file) => /\.tsx?$/.test(file))
      .flatMap((file) => {
        const path = `${folder}/${file}`;
        const text = readFileSync(join("src", path), "utf8");
        const taking = [...text.matchAll(EXPORTED)].filter(([, , given = ""]) => TAKES_TEXT.test(given));
        return taking.map(([, name]) => `${path}#${name}`);
      }),
  );
  assert.ok(exported.length > 150);
  const excused = new Set(Object.values(NOT_OF_OUTSIDERS).flat());
  const fileOf = (name: string) => name.split("#")[0] as string;
  const isListed = (name: string) => name in FUNCTIONS || excused.has(name) || excused.has(fileOf(name));
  assert.deepEqual(
    exported.filter((name) => !isListed(name)),
    [],
  );
  const known = new Set([...exported, ...exported.map(fileOf)]);
  assert.deepEqual(
    [...excused].filter((name) => !known.has(name)),
    [],
    "these are gone",
  );
});

const UNITS = [
  ..."[]()-_*.,:;@<>&=\"'`#/\\| \n\t\raA1é\u3000\u200b",
  ...[
    "http://",
    "a.",
    "ab.ab:",
    "A--A-",
    "a@b.",
    "<a@b>",
    "\n \t",
    "\t[\n",
    "> ",
    "{{",
    "}} ",
    "{{a}}",
    "on a wrote ",
    "1 ",
  ],
  ...[
    "=?utf-8?q?a?=",
    "www.",
    "mailto:",
    "your ip ",
    "client host ",
    "password is ",
    "eyJ",
    "--b\r\n",
    "<div>",
    "<textarea>",
  ],
  ...["&#1;", "🏴", "(a", ":::", " - ", "\u202e", "--b\r\nContent-Type: message/rfc822\r\n\r\n", "\r\nA: b", "-\n"],
];
const SIZE = 100_000;
/** In milliseconds. Below this, a garbage collection multiplies the time. */
const FLOOR_MS = 25;
const ATTEMPTS = 4;
/** Time limit for a tenth of the text. */
const SLOW_MS = 400;
/** Above this time for each length of the text, more runs would not help. */
const HOPELESS_MS = 1_500;

/** The cost of a call, in milliseconds of CPU. A refusal counts as an answer. */
async function costOf(call: Call, run: () => unknown, text: string): Promise<number> {
  const before = process.cpuUsage();
  try {
    await call(run, text);
  } catch (error) {
    // An invalid call would measure nothing.
    if (error instanceof TypeError && !("code" in error)) throw error;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** The cost may grow by at most this for each doubling of the text. */
const LIMIT = 3;

interface Growth {
  longMs: number;
  fault?: string;
}

/**
 * Compares the cost of a text with that of one that is `times` longer. The minimum of several runs, since the machine
 * may be busy.
 */
async function growthOf(call: Call, run: () => unknown, unit: string, times: number): Promise<Growth> {
  // Spaces between letters: many functions trim the ends.
  const head = unit.trim() === "" ? "a" : "";
  const textOf = (length: number) => `${head}${unit.repeat(length / unit.length)}x`;
  const limit = LIMIT ** Math.log2(times);
  let [tenth, short, long] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let i = 0; i < ATTEMPTS && tenth > SLOW_MS; i += 1) {
    tenth = Math.min(tenth, await costOf(call, run, textOf(SIZE / 10)));
  }
  // The full text would take minutes.
  assert.ok(tenth <= SLOW_MS, `${JSON.stringify(unit)}: ${tenth.toFixed(1)} ms for a tenth of it`);
  const shown = () =>
    `${JSON.stringify(unit)}: ${short.toFixed(1)} ms, and ${long.toFixed(1)} ms for ${times} times it`;
  for (let i = 0; i < ATTEMPTS; i += 1) {
    long = Math.min(long, await costOf(call, run, textOf(times * SIZE)));
    if (long <= limit * FLOOR_MS) return { longMs: long };
    short = Math.min(short, await costOf(call, run, textOf(SIZE)));
    if (long <= limit * short) return { longMs: long };
    assert.ok(long < HOPELESS_MS * times, shown());
  }
  return { longMs: long, fault: shown() };
}

for (const [name, given] of Object.entries(FUNCTIONS)) {
  test(`${name} takes linear time`, async () => {
    const [file = "", exported = ""] = name.split("#");
    const module = await import(new URL(`../../src/${file.replace(/\.tsx?$/, ".js")}`, import.meta.url).href);
    const run = module[exported];
    assert.equal(typeof run, "function", name);
    for (const call of [given].flat()) {
      for (const unit of UNITS) {
        const twice = await growthOf(call, run, unit, 2);
        if (twice.fault === undefined) continue;
        // Garbage collection and a busy machine may double a cost. Quadratic time shows the more, the longer the text.
        const longer = await growthOf(call, run, unit, 8);
        assert.equal(longer.fault, undefined, `${twice.fault}; ${longer.fault}`);
        assert.ok(longer.longMs >= twice.longMs, `${twice.fault}; a longer text is refused and proves nothing`);
      }
    }
  });
}
