import assert from "node:assert/strict";
import { test } from "node:test";
import type { HOLDS } from "../../src/domain/outreach/sending.ts";
import { type Driven, driveEngine, onTheWay, theEnrollment, theSend } from "../support/engine.ts";
import { audited, authorise } from "../support/sequences.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 0 };
const MESSAGE = { type: "socialnet_message", body: "Hello {{first_name}}", delay_days: 0 };
const PROFILE = "https://socialnet.example/in/ada";

interface Case {
  steps: object[];
  contact?: object;
  /** Accounts that exist before the approval, since an approval pins the sender. */
  accounts?: string[];
  /** Done before the step is due. */
  spoil?(d: Driven, ids: Ids): Promise<unknown>;
  detail?: RegExp;
  fix(d: Driven, ids: Ids): Promise<unknown>;
  /** The fix itself releases it. */
  releases?: boolean;
}
interface Ids {
  contact: string;
  sequence: string;
}

const patch = ({ server }: Driven, { contact }: Ids, body: object) =>
  server.rest("PATCH", `/contacts/${contact}`, { body });
const approve = ({ server }: Driven, { contact, sequence }: Ids) => authorise(server, sequence, [contact]);
const account = ({ server }: Driven, name: string) =>
  server.operator("create_socialnet_account", { label: name, profile_url: `https://socialnet.example/in/${name}` });
const fixAndApprove = (body: object) => async (d: Driven, ids: Ids) => {
  await patch(d, ids, body);
  await approve(d, ids);
};

const CASES: Record<Exclude<keyof typeof HOLDS, "send_unknown" | "came_back">, Case> = {
  contact_changed: {
    steps: [MAIL],
    spoil: (d, ids) => patch(d, ids, { first_name: "Augusta" }),
    fix: approve,
    releases: true,
  },
  not_authorised: {
    steps: [MAIL],
    spoil: ({ server }, { sequence }) =>
      server.operator("update_sequence", { sequence_id: sequence, steps: [{ ...MAIL, body: "Other words" }] }),
    fix: approve,
    releases: true,
  },
  unfilled: {
    steps: [{ ...MAIL, subject: "Hello {{job_title}} {{sender_name}}" }],
    detail: /^No value for job_title, sender_name\.$/,
    async fix(d, ids) {
      await d.server.operator("set_sending_policy", { sender_name: "Robin" });
      await fixAndApprove({ job_title: "Countess" })(d, ids);
    },
  },
  no_address: { steps: [MAIL], contact: { email: null }, fix: fixAndApprove({ email: "ada@x.example" }) },
  no_profile: { steps: [MESSAGE], accounts: ["robin"], fix: fixAndApprove({ socialnet_url: PROFILE }) },
  no_account: {
    steps: [MESSAGE],
    contact: { socialnet_url: PROFILE },
    accounts: ["robin", "sam"],
    async fix(d, ids) {
      const [{ id }] = await d.server.operator("list_socialnet_accounts", {});
      await d.server.operator("update_sequence", { sequence_id: ids.sequence, socialnet_account_id: id });
      await approve(d, ids);
    },
  },
  unsendable: {
    steps: [{ ...MAIL, subject: "{{company}} {{company}} {{company}}" }],
    contact: { company: "A very long name indeed ".repeat(20).trim() },
    detail: /^subject: has more than 998 characters once filled\.$/,
    fix: fixAndApprove({ company: "Short" }),
  },
};

for (const [reason, { steps, contact = {}, accounts = [], spoil, detail, fix, releases = false }] of Object.entries(
  CASES,
)) {
  test(`${reason}: the enrollment is on hold, and continues once a person fixes the cause and releases it`, async (t) => {
    const driven = await driveEngine(t);
    const { server, clock, run } = driven;
    for (const name of accounts) await account(driven, name);
    const { contact: person, sequence, enrollment } = await onTheWay(server, steps, contact);
    const ids = { contact: person.id, sequence: sequence.id };
    await spoil?.(driven, ids);
    await run();
    const held = await theEnrollment(server);
    assert.deepEqual([held.status, held.held_reason, held.waits], ["active", reason, null]);
    assert.match(held.held_detail ?? "", detail ?? /^$/);
    const release = () => server.operator("release_enrollment", { enrollment_id: enrollment.id });
    if (!releases) {
      await release();
      clock.advance(1_000);
      await run();
      assert.equal((await theEnrollment(server)).held_reason, reason, "released too early, it is held again");
    }
    await fix(driven, ids);
    if (!releases) await release();
    await run();
    const after = await theEnrollment(server);
    assert.deepEqual([after.held_reason, after.held_detail], [null, null]);
    assert.notEqual(after.status === "active" && after.current_step === 0, true, JSON.stringify(after));
  });
}

test("a release before its day sends nothing early, and is audited; only an enrollment on hold can be released", async (t) => {
  const { server, clock, taken, run } = await driveEngine(t);
  const { enrollment, contact, sequence } = await onTheWay(server, [{ ...MAIL, delay_days: 2 }]);
  const release = () => server.operator("release_enrollment", { enrollment_id: enrollment.id });
  await assert.rejects(release(), { code: "enrollment_not_held" });
  await server.operator("stop_enrollment", { enrollment_id: enrollment.id });
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { first_name: "Augusta" } });
  const again = await server.rest("POST", "/sequences/enroll", {
    body: { sequence_id: sequence.id, contact_id: contact.id },
  });
  const released = await server.operator("release_enrollment", { enrollment_id: again.body.data.id });
  assert.deepEqual([released.held_reason, released.due_at], [null, "2026-11-22T09:00:00.000Z"]);
  const [row] = await audited(server, "release_enrollment");
  assert.deepEqual([row.before.held_reason, row.after.held_reason], ["contact_changed", null]);
  await run();
  clock.advance(2 * 86_400_000);
  await run();
  const [held] = await server.operator("list_enrollments", { status: "active" });
  assert.equal(held.held_reason, "contact_changed", "nobody has approved it as it is");
  assert.deepEqual([taken.length, await theSend(server)], [0, undefined]);
});

test("an address that the mail server does not support puts its enrollment on hold until a person changes something", async (t) => {
  const { server, taken, run, clock } = await driveEngine(t, { smtp: { hideSMTPUTF8: true } });
  const { contact, enrollment, sequence } = await onTheWay(server, [MAIL], { email: "müller@exämple.com" });
  await run();
  const held = await theEnrollment(server);
  assert.deepEqual([held.status, held.held_reason, taken], ["active", "unsendable", []]);
  assert.match(held.held_detail, /müller@exämple\.com has non-ASCII characters .+SMTPUTF8/);
  clock.advance(30 * 86_400_000);
  await run();
  assert.equal((await theSend(server)).attempts, 1, "it is not tried again by itself");
  await server.operator("release_enrollment", { enrollment_id: enrollment.id });
  await run();
  assert.deepEqual([(await theEnrollment(server)).held_reason, taken], ["unsendable", []]);
  await server.rest("PATCH", `/contacts/${contact.id}`, { body: { email: "mueller@exämple.com" } });
  await authorise(server, sequence.id, [contact.id]);
  await server.operator("release_enrollment", { enrollment_id: enrollment.id });
  await run();
  assert.equal(taken.length, 1);
});
