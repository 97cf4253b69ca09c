import type { StepSend } from "../../src/store/outreach.ts";
import type { TestServer } from "./server.ts";

let made = 0x5_0000;

export function sendRow(
  changes: Pick<StepSend, "enrollmentId" | "sequenceId" | "contactId"> & Partial<StepSend>,
): StepSend {
  const id = changes.id ?? `01900000-0000-7000-9000-${(made++).toString(16).padStart(12, "0")}`;
  const now = Date.UTC(2026, 10, 20, 12);
  return {
    id,
    step: 0,
    messageId: `<rostrum.${id}@acme.example>`,
    address: "ada@x.example",
    subject: "Hello",
    status: "sending",
    attempts: 1,
    lastAttemptAt: now,
    leaseUntil: now + 1,
    leasedBy: null,
    detail: null,
    createdAt: now,
    updatedAt: now,
    answerId: null,
    ...changes,
  };
}

/** A message of an enrollment with an unconfirmed outcome. */
export async function unknownSend(server: TestServer, enrollment: any): Promise<string> {
  const { id, sequence_id: sequenceId, contact_id: contactId } = enrollment;
  const row = sendRow({ enrollmentId: id, sequenceId, contactId, status: "unknown", leaseUntil: null });
  await server.running.store.write(server.workspaceId, ({ sends }) => sends.insert(row));
  return row.id;
}
