import { z } from "zod";

export const Activity = z
  .object({
    id: z.uuid(),
    contact_id: z.uuid(),
    workspace_id: z.uuid(),
    type: z.string().describe("What happened; the server's own types are among these."),
    subject: z.string().nullable(),
    body: z.string().nullable(),
    metadata: z
      .record(z.string(), z.unknown())
      .describe("Free-form; the server stamps source, and api_key_id where a key wrote it."),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "Activity", description: "One entry of a contact's timeline." });
