import { z } from "zod";
import { problem } from "../../../core/problem.ts";
import { redact } from "../../../domain/text/redact.ts";
import { JsonText } from "../../../lib/json-text.ts";
import { iso } from "../../../lib/time.ts";
import { always, momentOf, time } from "../../fields.ts";
import { AHEAD_MS, defineCommand, fields } from "./shared.ts";

const count = (of: string) => z.int().min(0).max(10_000).describe(of);

const report = {
  runId: z
    .guid()
    .toLowerCase()
    .meta({ format: "uuid", description: "A new UUID per run. A repeat returns the stored report." }),
  startedAt: fields.time,
  finishedAt: fields.time,
  status: z.enum(["ok", "partial", "failed"]).describe("partial: some failed."),
  claimed: count("Claimed actions."),
  completed: count("Completed ones."),
  failed: count("Failed ones."),
  synced: count("Synced observations."),
};

const EXAMPLE = {
  runId: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  startedAt: "2026-11-20T09:00:00.000Z",
  finishedAt: "2026-11-20T09:12:00.000Z",
  status: "ok" as const,
  claimed: 3,
  completed: 3,
  failed: 0,
  synced: 2,
  notes: "All three were sent.",
};

export const runReport = defineCommand({
  name: "run_report",
  does: "Reports how a run went. Keys, tokens, email addresses, phone numbers and query strings are removed from notes.",
  next: "The run is over.",
  takes: {
    ...report,
    notes: z.string().max(500).optional().describe("For people. No names, links or secrets."),
  },
  check: [
    ({ startedAt, finishedAt }) => !(momentOf(startedAt) > momentOf(finishedAt)),
    { path: ["finishedAt"], error: "is earlier than startedAt", when: always },
  ],
  answers: z.object({
    ...report,
    runId: z.uuid(),
    startedAt: time,
    finishedAt: time,
    notes: z.string().nullable(),
    recordedAt: time,
  }),
  example: EXAMPLE,
  async handler(ctx, account, { notes, ...run }) {
    const { socialnetReports } = ctx.store;
    const told = await socialnetReports.findRun(account.id, run.runId);
    if (told !== undefined) return new JsonText(told);
    const finishedAt = Date.parse(run.finishedAt);
    if (finishedAt > ctx.now + AHEAD_MS)
      throw problem("validation_failed", "finishedAt: is in the future. Send the time at which the run ended.");
    const answer = JSON.stringify({
      ...run,
      startedAt: iso(Date.parse(run.startedAt)),
      finishedAt: iso(finishedAt),
      notes: notes === undefined ? null : redact(notes),
      recordedAt: iso(ctx.now),
    });
    await socialnetReports.insertRun({ accountId: account.id, runId: run.runId, finishedAt, now: ctx.now, answer });
    return new JsonText(answer);
  },
});
