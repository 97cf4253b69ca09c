import assert from "node:assert/strict";
import type { TestServer } from "./server.ts";

/** A valid id without a record. */
export const UNKNOWN = "0190aaaa-0000-7000-8000-00000000abcd";

export const STEPS = [
  { type: "email", subject: "Hello {{first_name}}", body: "From {{ sender_name }} to {{company}}", delay_days: 2 },
  { type: "wait", days: 3 },
  { type: "socialnet_message", body: "Still there?", delay_days: 0 },
];

let made = 0;

export async function newContact(server: TestServer, fields: object = {}): Promise<any> {
  made += 1;
  const body = { email: `p${made}@x.example`, first_name: "Ada", company: "Analytical Engines", ...fields };
  const reply = await server.rest("POST", "/contacts", { body });
  assert.equal(reply.status, 201, reply.text);
  return reply.body.data;
}

export function newSequence(server: TestServer, fields: object = {}): Promise<any> {
  return server.operator("create_sequence", { name: "Welcome", steps: STEPS, ...fields });
}

/** Approves the audience for the current steps, and activates that. */
export async function authorise(server: TestServer, sequenceId: string, contactIds: string[]): Promise<any> {
  const { id } = await server.operator("approve_sequence", { sequence_id: sequenceId, contact_ids: contactIds });
  return server.operator("apply_sequence_approval", { approval_id: id });
}

/** A sequence, and a contact who can be enrolled in it. */
export async function armed(server: TestServer, { contact = {}, sequence = {} } = {}) {
  const person = await newContact(server, contact);
  const series = await newSequence(server, sequence);
  const approval = await authorise(server, series.id, [person.id]);
  return { contact: person, sequence: series, approval, ids: { sequence_id: series.id, contact_id: person.id } };
}

export function enroll(server: TestServer, body: object, headers: Record<string, string> = {}) {
  return server.rest("POST", "/sequences/enroll", { body, headers });
}

/** The audit rows of one operation, newest first. */
export async function audited(server: TestServer, action: string): Promise<any[]> {
  return (await server.operator("list_audit", { limit: 100 })).filter((row: any) => row.action === action);
}
