import assert from "node:assert/strict";
import { test } from "node:test";
import type { HoldCause } from "../../src/domain/outreach/sending.ts";
import { type Driven, driveEngine, onTheWay, theEnrollment } from "../support/engine.ts";
import { newReply } from "../support/inbox.ts";
import { callAs, member } from "../support/member.ts";
import { authorise, enroll } from "../support/sequences.ts";

const MAIL = { type: "email", subject: "Hello {{first_name}}", body: "About {{company}}", delay_days: 1 };
const DAY_MS = 86_400_000;

type Made = Awaited<ReturnType<typeof onTheWay>>;

/** What puts an enrollment on hold, in a server where a contact waits for their first email. */
type Cause = (driven: Driven, made: Made) => Promise<unknown>;

const patch = ({ server }: Driven, { contact }: Made, body: object) =>
  server.rest("PATCH", `/contacts/${contact.id}`, { body });

/** The approval is spent, and the contact is enrolled again by it. */
const again = async ({ server, clock }: Driven, { ids }: Made) => {
  clock.advance(1_000);
  const reply = await enroll(server, ids);
  assert.equal(reply.status, 201, reply.text);
};
const stop = ({ server }: Driven, { enrollment }: Made) =>
  server.operator("stop_enrollment", { enrollment_id: enrollment.id });

/** An open reply that the mailbox has recorded, and what it stops. */
const replies: Cause = async (driven, made) => {
  const { server } = driven;
  await stop(driven, made);
  driven.clock.advance(1_000);
  await authorise(server, made.sequence.id, [made.contact.id]);
  driven.clock.advance(1_000);
  await newReply(server, made.contact);
  await server.running.asSystem(server.workspaceId, "receive_mail", (ctx) =>
    ctx.store.approvals.spendGivenBy(made.contact.id, ctx.now, ctx.now),
  );
};

const CASES: Record<Exclude<HoldCause, "replaced">, { make: Cause; fields?: string[]; dated?: false }> = {
  details_changed: {
    make: async (driven, made) => {
      await patch(driven, made, { first_name: "Augusta", phone: "1", email: "augusta@x.example" });
    },
    fields: ["email", "first_name"],
  },
  replied: {
    make: async (driven, made) => {
      await replies(driven, made);
      await again(driven, made);
    },
  },
  not_interested: {
    make: async (driven, made) => {
      await newReply(driven.server, made.contact);
      driven.clock.advance(1_000);
      const { text, status } = await callAs(driven.server, member(driven.server), "mark_not_interested", {
        contact_id: made.contact.id,
      });
      assert.equal(status, 200, text);
      await again(driven, made);
    },
  },
  opted_out: {
    make: async (driven, made) => {
      await driven.server.operator("add_suppression", { email: made.contact.email });
      await patch(driven, made, { email: "new@x.example" });
      await again(driven, made);
    },
  },
  earlier_enrollment: {
    make: async (driven, made) => {
      await stop(driven, made);
      await again(driven, made);
    },
  },
  steps_changed: {
    make: ({ server }, { sequence }) =>
      server.operator("update_sequence", { sequence_id: sequence.id, steps: [{ ...MAIL, body: "Other words" }] }),
  },
  sender_changed: { make: ({ server }) => server.operator("set_sending_policy", { sender_name: "Sam" }) },
  not_approved: {
    make: async (driven, made) => {
      const { server } = driven;
      await patch(driven, made, { first_name: "Augusta" });
      await server.running.asSystem(server.workspaceId, "test", (ctx) =>
        ctx.store.enrollments.wait(made.enrollment.id, 0, { dueAt: ctx.now, heldReason: "not_authorised" }),
      );
      await server.running.store.write(server.workspaceId, async (bound) => {
        await bound.sequences.update(made.sequence.id, { stepsHash: "other", now: 1 });
      });
    },
    dated: false,
  },
  approved: {
    make: async (driven, made) => {
      await patch(driven, made, { first_name: "Augusta" });
      driven.clock.advance(DAY_MS);
      await driven.run();
      await patch(driven, made, { first_name: "Ada" });
    },
    dated: false,
  },
};

for (const [cause, { make, fields = [], dated = true }] of Object.entries(CASES)) {
  test(`an enrollment on hold says its one cause: ${cause}`, async (t) => {
    const driven = await driveEngine(t);
    const made = await onTheWay(driven.server, [MAIL]);
    driven.clock.advance(1_000);
    await make(driven, made);
    driven.clock.advance(2 * DAY_MS);
    await driven.run();
    const held = await theEnrollment(driven.server);
    assert.ok(["contact_changed", "not_authorised"].includes(held.held_reason), JSON.stringify(held));
    const { at, ...found } = held.hold_cause;
    assert.deepEqual(found, { cause, fields });
    assert.equal(at !== null, dated, String(at));
  });
}

test("a hold for another reason has no such cause, and neither has an enrollment that is not on hold", async (t) => {
  const { server, run } = await driveEngine(t);
  await onTheWay(server, [{ ...MAIL, delay_days: 0, subject: "{{job_title}}" }]);
  assert.equal((await theEnrollment(server)).hold_cause, null);
  await run();
  const held = await theEnrollment(server);
  assert.deepEqual([held.held_reason, held.hold_cause], ["unfilled", null]);
});
