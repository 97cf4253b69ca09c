import { z } from "zod";
import type { Context } from "../../core/context.ts";
import { personOperation } from "../../core/operation.ts";
import { Problem, problem } from "../../core/problem.ts";
import { profilePin } from "../../domain/contacts/address.ts";
import { type ContactFields, isIdentified, mergeTags } from "../../domain/contacts/contact.ts";
import { editContact, insertContact } from "../../services/contacts/write.ts";
import type { ContactRecord, ImportRun } from "../../store/contacts.ts";
import { contactFields } from "./contact-schema.ts";

const MAX_ROWS = 500;
const MAX_REASON = 500;

const importedRow = z.object({
  ...contactFields,
  tags: z.array(z.string().max(100)).max(1_000).optional(),
  fault: z.string().min(1).max(MAX_REASON).optional(),
});

export const fingerprint = z
  .string()
  .regex(/^[\da-f]{64}$/, "must be 64 hexadecimal digits")
  .describe("The import's fingerprint: a SHA-256 in hexadecimal over the file's content and its column mapping.");

export const importCounts = {
  rows_done: z
    .int()
    .describe("How many rows have been imported or rejected so far. Also the position of the next row."),
  created: z.int(),
  updated: z.int(),
  unchanged: z.int(),
  rejected: z.int(),
};

export const rejectedRow = z.object({
  row: z.int().describe("The row's position, from 0."),
  reason: z.string(),
});
type RejectedRow = z.infer<typeof rejectedRow>;

export const importContacts = personOperation({
  name: "import_contacts",
  area: "contacts",
  title: "Import contacts from a file",
  description:
    "Imports the next rows of a file in one transaction. A row updates the contact with its email, or else the " +
    "newest contact with its profile URL. If there is neither, it creates a contact. Empty cells change nothing, " +
    "and tags are added. Invalid rows are rejected with a reason, and the others are imported. Send the rows in " +
    "order: each call starts at the rows_done of the last one.",
  access: { permission: "work" },
  effect: "write",
  gates: ["billing"],
  errors: ["import_out_of_step"],
  input: z.strictObject({
    fingerprint,
    from_row: z.int().min(0).describe("The position of the first row sent, from 0. Must equal the import's rows_done."),
    rows: z
      .array(z.record(z.string(), z.unknown()))
      .min(1)
      .max(MAX_ROWS)
      .describe("The fields of create_contact, and tags. If you could not read a row, put the reason in fault."),
    last: z.boolean().describe("Whether the file ends with these rows. If so, the import finishes."),
  }),
  output: z.object({
    ...importCounts,
    results: z.array(rejectedRow).describe("The rows of this call that were rejected."),
  }),
  async handler(ctx, { fingerprint, from_row, rows, last }) {
    return { data: await importRows(ctx, { fingerprint, fromRow: from_row, rows, last }), record: fingerprint };
  },
});

interface NextRows {
  fingerprint: string;
  fromRow: number;
  rows: readonly Record<string, unknown>[];
  last: boolean;
}

/**
 * Imports the next rows of a list.
 *
 * @throws Problem import_out_of_step
 */
export async function importRows(ctx: Context, { fingerprint, fromRow: from_row, rows, last }: NextRows) {
  const run = (await ctx.store.imports.find(fingerprint)) ?? NOT_BEGUN;
  requireStep(run, from_row);
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const results: RejectedRow[] = [];
  for (const [index, row] of rows.entries()) {
    const taken = await take(ctx, row);
    if ("reason" in taken) results.push({ row: from_row + index, ...taken });
    else counts[taken.as]++;
  }
  const done: ImportRun = {
    rowsDone: run.rowsDone + rows.length,
    created: run.created + counts.created,
    updated: run.updated + counts.updated,
    unchanged: run.unchanged + counts.unchanged,
    rejected: run.rejected + results.length,
    lastRejected: results,
    finishedAt: last ? ctx.now : null,
  };
  await ctx.store.imports.save(fingerprint, done, ctx.now);
  // Of a long file the beginning and the end: who brought it, and what came of it.
  if (run === NOT_BEGUN || last) {
    const before = run === NOT_BEGUN ? null : countsOf(run);
    await ctx.audit({ recordId: fingerprint, before, after: countsOf(done) });
  }
  return { ...countsOf(done), results };
}

export const NOT_BEGUN: ImportRun = {
  rowsDone: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  rejected: 0,
  lastRejected: [],
  finishedAt: null,
};

export function countsOf({ rowsDone, created, updated, unchanged, rejected }: ImportRun) {
  return { rows_done: rowsDone, created, updated, unchanged, rejected };
}

function requireStep(run: ImportRun, fromRow: number): void {
  if (run.finishedAt !== null) {
    throw problem(
      "import_out_of_step",
      `This import finished after ${run.rowsDone} rows. There is nothing left to import.`,
    );
  }
  if (fromRow !== run.rowsDone) {
    throw problem("import_out_of_step", `from_row: this import continues at row ${run.rowsDone}, not at ${fromRow}.`);
  }
}

type Taken = { as: "created" | "updated" | "unchanged" } | { reason: string };

/** The fields and tags of a row, or why it is rejected. */
function readRow(row: unknown): { fields: ContactFields; tags: string[] } | { reason: string } {
  const parsed = importedRow.safeParse(row);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { reason: `${issue?.path.join(".") || "row"} ${issue?.message}` };
  }
  const { fault, tags = [], ...given } = parsed.data;
  if (fault !== undefined) return { reason: fault };
  return { fields: Object.fromEntries(Object.entries(given).filter(([, value]) => value)), tags };
}

/** What a row would do, without doing it. */
export async function checkRow(ctx: Context, row: unknown): Promise<{ as: "create" | "update" } | { reason: string }> {
  const read = readRow(row);
  if ("reason" in read) return read;
  const { email, socialnet_url: profile } = read.fields;
  const found =
    (email ? await ctx.store.contacts.findByEmail(email) : undefined) ??
    (profile ? await findWithProfile(ctx, profile) : undefined);
  if (found !== undefined) return { as: "update" };
  return isIdentified(read.fields) ? { as: "create" } : { reason: UNIDENTIFIED };
}

const UNIDENTIFIED = "row: has no email, first name or last name. Add at least one.";

async function take(ctx: Context, row: unknown): Promise<Taken> {
  const read = readRow(row);
  if ("reason" in read) return read;
  const { fields, tags } = read;
  try {
    return { as: await upsert(ctx, fields, tags) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { reason: error.code === "validation_failed" ? error.message : `${error.code}: ${error.message}` };
  }
}

/** Profiles that differ only by their query may be two people, so the one that is found may be another person's. */
async function findWithProfile(ctx: Context, profile: string): Promise<ContactRecord | undefined> {
  const record = await ctx.store.contacts.findByProfile(profile);
  const known = record?.contact.socialnet_url;
  return known != null && profilePin(known) === profilePin(profile) ? record : undefined;
}

async function upsert(
  ctx: Context,
  fields: ContactFields,
  tags: string[],
): Promise<"created" | "updated" | "unchanged"> {
  const { email, socialnet_url: profile, ...rest } = fields;
  const byEmail = email ? await ctx.store.contacts.findByEmail(email) : undefined;
  const record = byEmail ?? (profile ? await findWithProfile(ctx, profile) : undefined);
  if (record === undefined) {
    if (!isIdentified(fields)) throw problem("validation_failed", UNIDENTIFIED);
    const { id } = await insertContact(ctx, fields, "import", "import");
    const inserted = tags.length > 0 ? await ctx.store.contacts.find(id) : undefined;
    if (inserted !== undefined) await editContact(ctx, inserted, {}, { tags: mergeTags([], tags) }, "import");
    return "created";
  }
  const before = record.contact.tags ?? [];
  const merged = mergeTags(before, tags);
  const more = merged.length > before.length ? { tags: merged } : {};
  // What the contact was found by is the same but for its spelling; only the other of the two can be news.
  const news: ContactFields = byEmail ? { ...rest, socialnet_url: profile } : { ...rest, email };
  const { changed } = await editContact(ctx, record, news, more, "import");
  return changed ? "updated" : "unchanged";
}
