import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { copyText, firstDueAt, renderedFields, type Step, stepsText } from "../../src/domain/outreach/sequence.ts";
import { fillTemplate, PLACEHOLDERS, type Recipient, templateFault } from "../../src/domain/outreach/template.ts";

const DAY_MS = 86_400_000;

const email = (subject: string, body = "b"): Step => ({ type: "email", subject, body, delay_days: 0 });

const ADA: Recipient = {
  id: "1",
  email: "Ada@Lovelace.example",
  socialnet_url: "https://www.socialnet.example/in/ada/",
  first_name: "Ada",
  last_name: "Lovelace",
  company: "Analytical Engines",
  job_title: "Countess",
};

const days = fc.integer({ min: 0, max: 365 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("email" as const), subject: fc.string(), body: fc.string(), delay_days: days }),
  fc.record({ type: fc.constant("socialnet_connect" as const), note: fc.string(), delay_days: days }),
  fc.record({ type: fc.constant("socialnet_message" as const), body: fc.string(), delay_days: days }),
  fc.record({ type: fc.constant("wait" as const), days }),
);

test("a template accepts the five placeholders, with spaces inside the braces, and keeps single braces", () => {
  for (const name of PLACEHOLDERS) {
    for (const text of [`{{${name}}}`, `Hi {{ ${name}\t}}!`, `{{{${name}}}}`, `{ {{${name}}} }`, `{{${name}}}{`]) {
      assert.equal(templateFault(text), undefined, text);
    }
  }
  for (const text of ["", "{", "}", "{first_name}", "a }} b", "{{first_name}}{{last_name}}", "{ {"]) {
    assert.equal(templateFault(text), undefined, text);
  }
});

test("a template refuses an unknown placeholder by name, and braces that are not a placeholder", () => {
  for (const name of ["foo", "First_Name", "first name", "", "constructor", "__proto__"]) {
    assert.match(
      templateFault(`Hi {{first_name}} {{ ${name} }}`) ?? "",
      /unknown placeholder \{\{[\w ]*\}\}\. Use one of \{\{first_name\}\}, /,
    );
  }
  assert.match(templateFault("{{foo}}") ?? "", /placeholder \{\{foo\}\}\. Use/);
  assert.ok((templateFault(`{{${"x".repeat(5_000)}}}`) ?? "").length < 200, "a long one is not repeated whole");
  for (const text of ["{{", "Hi {{first_name", "{{first_name}", "{{first_name}} {{", "{{{{first_name}}}}", "{{{"]) {
    assert.match(templateFault(text) ?? "", /has a \{\{ without a matching/, text);
  }
});

test("the rendered fields are those that the steps name, only of the contact", () => {
  assert.deepEqual(renderedFields([email("plain")]), []);
  assert.deepEqual(renderedFields([email("{{sender_name}}")]), []);
  const steps: Step[] = [
    { type: "socialnet_message", body: "{{ job_title }}", delay_days: 0 },
    email("{{company}}", "{{company}} {{first_name}}"),
    { type: "socialnet_connect", note: "{{last_name}}", delay_days: 0 },
    { type: "wait", days: 1 },
  ];
  assert.deepEqual(renderedFields(steps), ["first_name", "last_name", "company", "job_title"]);
});

test("two lists of steps have the same text exactly if they are equal, however written", () => {
  fc.assert(
    fc.property(fc.array(anyStep), fc.array(anyStep), (a, b) => {
      const turned = a.map((step) => Object.fromEntries(Object.entries(step).reverse()) as Step);
      assert.equal(stepsText(turned), stepsText(a));
      assert.deepEqual(stepsText(a) === stepsText(b), fc.stringify(a) === fc.stringify(b));
    }),
  );
  const one = [email("a", "b")];
  for (const other of [
    [email("a,b", "")],
    [email("a", "b"), email("a", "b")],
    [{ ...one[0], delay_days: 1 } as Step],
    [{ type: "socialnet_message", body: "b", delay_days: 0 } as Step],
    [{ type: "wait", days: 1 } as Step],
  ]) {
    assert.notEqual(stepsText(other), stepsText(one));
  }
});

test("a contact's copy changes exactly if an address or a rendered field does", () => {
  const steps = [email("{{first_name}}", "{{company}}")];
  const text = copyText(ADA, steps);
  const same: Partial<Recipient>[] = [
    { last_name: "Byron", job_title: null },
    { email: "ADA@lovelace.EXAMPLE" },
    { socialnet_url: "http://www.SocialNet.example/in/ada/" },
  ];
  for (const change of same) assert.equal(copyText({ ...ADA, ...change }, steps), text, JSON.stringify(change));
  const other: Partial<Recipient>[] = [
    { email: "ada@byron.example" },
    { email: null },
    { socialnet_url: null },
    { socialnet_url: "https://socialnet.example/in/byron" },
    { socialnet_url: "https://socialnet.example/in/ada?id=2" },
    { socialnet_url: "https://socialnet.example/in/ada#byron" },
    { socialnet_url: "no address" },
    { first_name: "Augusta" },
    { first_name: null },
    { company: "" },
    { first_name: ADA.company, company: ADA.first_name },
  ];
  for (const change of other) assert.notEqual(copyText({ ...ADA, ...change }, steps), text, JSON.stringify(change));
  const unreadable = (url: string) => copyText({ ...ADA, socialnet_url: url }, steps);
  assert.notEqual(unreadable("no address"), unreadable("nor this"));
});

test("the first step is due after its own delay or wait, in full days", () => {
  const now = Date.UTC(2026, 2, 28, 12);
  assert.equal(firstDueAt([email("a")], now), now);
  assert.equal(
    firstDueAt([{ ...email("a"), delay_days: 3 } as Step, { type: "wait", days: 9 }], now),
    now + 3 * DAY_MS,
  );
  assert.equal(firstDueAt([{ type: "wait", days: 2 }, email("a")], now), now + 2 * DAY_MS);
});

const FILLINGS = {
  first_name: "Ada",
  last_name: "Lovelace",
  company: "Analytical Engines",
  job_title: "Countess",
  sender_name: "Charles",
};

test("a template is filled everywhere, with any spaces in its braces", () => {
  const template = "{{first_name}} {{ last_name\t}} of {{company}}, {{job_title}} {{first_name}} — {{sender_name}} {x}";
  const filled = fillTemplate(template, FILLINGS);
  assert.deepEqual(filled, { text: "Ada Lovelace of Analytical Engines, Countess Ada — Charles {x}" });
  assert.deepEqual(fillTemplate("as it is: $& $1", FILLINGS), { text: "as it is: $& $1" });
});

test("a missing value is named once, and nothing is invented", () => {
  const blank = { ...FILLINGS, company: null, job_title: " \n ", last_name: "https://evil.example" };
  assert.deepEqual(fillTemplate("{{company}} {{company}} {{job_title}} {{last_name}} {{first_name}}", blank), {
    unfilled: ["company", "job_title", "last_name"],
  });
});

test("values lose line breaks, links and direction marks, and keep what occurs in names", () => {
  const cases: [string, string][] = [
    ["Ada\r\nBcc: x@evil.example", "Ada Bcc: x@evil.example"],
    ["A\u2028B\u0000C\tD", "A B C D"],
    ["Ada http://evil.example now", "Ada now"],
    ["Ada (see HTTPS://evil.example/a?b)", "Ada (see"],
    ["javascript://%0aalert(1) Ada", "Ada"],
    ["Ada mailto:x@evil.example", "Ada"],
    ["Ada www.evil.example", "Ada"],
    ["Ada evil.example/login", "Ada"],
    ["Ada пример.испытание/вход", "Ada"],
    ["Ada //evil.example", "Ada"],
    ["\u202Eada", "ada"],
    ["Booking.com", "Booking.com"],
    ["D'Arcy & Söhne <GmbH>", "D'Arcy & Söhne <GmbH>"],
    ["A/S Norsk", "A/S Norsk"],
    ["{{sender_name}} $1 $&", "{{sender_name}} $1 $&"],
  ];
  for (const [value, shown] of cases) {
    assert.deepEqual(fillTemplate("{{company}}", { ...FILLINGS, company: value }), { text: shown }, value);
  }
});

test("no value puts a line break or a URL scheme into a message", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const filled = fillTemplate("{{company}}", { ...FILLINGS, company: `a ${value}` });
      assert.ok("text" in filled && !/[\p{Cc}\u2028\u2029]|:\/\//u.test(filled.text));
    }),
  );
});
