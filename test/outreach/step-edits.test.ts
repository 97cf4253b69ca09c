import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, driveEngine, headerOf, onTheWay, theEnrollment } from "../support/engine.ts";
import { audited, authorise } from "../support/sequences.ts";

const mail = (subject: string, delay_days = 1) => ({ type: "email", subject, body: "About {{company}}", delay_days });
const [ONE, TWO, THREE] = [mail("One", 0), mail("Two"), mail("Three")] as const;

test("a contact who has reached a step gets every message once, after any edit", async (t) => {
  const { server, clock, taken, run } = await driveEngine(t);
  const { sequence, contact } = await onTheWay(server, [ONE, TWO]);
  await run();
  const update = (steps: object[]) => server.operator("update_sequence", { sequence_id: sequence.id, steps });
  for (const steps of [[mail("Zero"), ONE, TWO], [TWO], [TWO, ONE], [ONE], [ONE, { type: "wait", days: 3 }]]) {
    await assert.rejects(update(steps), (error: any) => {
      assert.equal(error.code, "steps_reached");
      assert.match(error.message, /^steps\.\d.+ have already reached step 2\. Edit texts and delays in place/);
      return true;
    });
  }
  assert.equal((await audited(server, "update_sequence")).length, 0);
  await update([{ ...ONE, body: "Fixed" }, mail("Two, fixed"), THREE]);
  await authorise(server, sequence.id, [contact.id]);
  for (let day = 0; day < 4; day += 1) {
    clock.advance(DAY_MS);
    await run();
  }
  assert.deepEqual(
    taken.map((one) => headerOf(one, "subject")),
    ["One", "Two, fixed", "Three"],
  );
  assert.equal((await theEnrollment(server)).status, "completed");
  // No enrollment is active any more.
  await update([THREE, ONE]);
});

test("unreached steps can be moved, and all of them once the active enrollments are stopped", async (t) => {
  const { server } = await driveEngine(t);
  const { sequence, enrollment } = await onTheWay(server, [ONE, TWO, THREE]);
  const update = (steps: object[]) => server.operator("update_sequence", { sequence_id: sequence.id, steps });
  await update([ONE, THREE, TWO]);
  await assert.rejects(update([TWO, ONE]), { code: "steps_reached" });
  await server.operator("stop_enrollment", { enrollment_id: enrollment.id });
  await update([TWO, ONE]);
});
