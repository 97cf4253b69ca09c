import { z } from "zod";
import { problem } from "../../../core/problem.ts";
import { HEALTH_FRESH_MS } from "../../../domain/socialnet/account.ts";
import { JsonText } from "../../../lib/json-text.ts";
import { iso } from "../../../lib/time.ts";
import { requireOwnProfile } from "../../../services/socialnet/accounts.ts";
import { always, momentOf, time } from "../../fields.ts";
import { AHEAD_MS, defineCommand, fields, isProfileUrl, NOT_A_PROFILE } from "./shared.ts";

const upTo = (max: number, of: string) => z.int().min(0).max(max).nullable().describe(of);

const Observation = z.strictObject({
  observationId: z.guid().toLowerCase().meta({ format: "uuid", description: "A new UUID per measurement." }),
  profileUrl: fields.profileUrl.describe("Your account's profile."),
  observedAt: fields.time.describe("When you measured."),
  windowStartedAt: fields.time.describe("Start of the period."),
  windowEndedAt: fields.time.describe("Its end, not after observedAt."),
  invitationsSent: upTo(1_000_000, "In the period."),
  invitationsAccepted: upTo(1_000_000, "Of these, accepted."),
  invitationsWithdrawn: upTo(1_000_000, "Of these, withdrawn."),
  warnings: upTo(1_000, "Warnings from the network."),
  accountAgeDays: upTo(36_525, "Its age."),
  evidence: fields.evidence,
});

const HealthAnswer = z.object({
  ...Observation.shape,
  observationId: z.uuid(),
  observedAt: time,
  windowStartedAt: time,
  windowEndedAt: time,
  recordedAt: time,
  expiresAt: time.describe("24 hours after observedAt. Until then it counts as the account's current health."),
});

const EXAMPLE = {
  observationId: "5f0c2b1e-6a3d-4c2f-9b8e-1d2c3b4a5f60",
  profileUrl: "https://socialnet.example/in/ada",
  observedAt: "2026-11-20T09:00:00.000Z",
  windowStartedAt: "2026-11-06T00:00:00.000Z",
  windowEndedAt: "2026-11-13T00:00:00.000Z",
  invitationsSent: 60,
  invitationsAccepted: 22,
  invitationsWithdrawn: null,
  warnings: 0,
  accountAgeDays: null,
  evidence: "The network's own page of sent invitations.",
};

export const healthObservation = defineCommand({
  name: "health_observation",
  does:
    "Records a measurement of the account: the invitations sent in one past period, with null for unknown values. For " +
    "24 hours it counts as the account's current health. It never permits sending.",
  next: "Nothing more.",
  takes: {
    observation: Observation.superRefine(checkCohort, { when: always }).describe("Unknown numbers are null."),
  },
  answers: HealthAnswer,
  example: { observation: EXAMPLE },
  async handler(ctx, account, { observation }) {
    requireOwnProfile(account, observation.profileUrl);
    const { socialnetReports } = ctx.store;
    const { observationId } = observation;
    const known = await socialnetReports.findHealth(account.id, observationId);
    if (known !== undefined) return new JsonText(known);
    const times = checkedTimes(observation, ctx.now);
    const answer = JSON.stringify({
      ...observation,
      ...times,
      recordedAt: iso(ctx.now),
      expiresAt: iso(Date.parse(times.observedAt) + HEALTH_FRESH_MS),
    });
    const observedAt = Date.parse(times.observedAt);
    await socialnetReports.insertHealth({ accountId: account.id, observationId, observedAt, now: ctx.now, answer });
    return new JsonText(answer);
  },
});

/** What cannot be: a cohort that is not over, or more answers than invitations. Values may be of any kind here. */
function checkCohort(given: z.input<typeof Observation>, issues: z.RefinementCtx): void {
  if (typeof given !== "object" || given === null) return;
  const { observedAt, windowStartedAt, windowEndedAt, profileUrl } = given;
  const [observed, from, to] = [momentOf(observedAt), momentOf(windowStartedAt), momentOf(windowEndedAt)];
  const refuse = (field: string, message: string) => issues.addIssue({ code: "custom", path: [field], message });
  if (!isProfileUrl(profileUrl)) refuse("profileUrl", NOT_A_PROFILE);
  if (to <= from) refuse("windowEndedAt", "must be later than windowStartedAt");
  if (to > observed) refuse("windowEndedAt", "is later than observedAt. Measure a period that has ended");
  const { invitationsSent: sent, invitationsAccepted: accepted, invitationsWithdrawn: withdrawn } = given;
  const answered = [accepted, withdrawn].map((count) => (typeof count === "number" ? count : 0));
  if (typeof sent === "number" && answered.reduce((sum, count) => sum + count, 0) > sent) {
    refuse(
      "invitationsSent",
      "must be at least invitationsAccepted plus invitationsWithdrawn. Report all three for the same invitations",
    );
  }
}

/** The times in our form. */
function checkedTimes(given: z.infer<typeof Observation>, now: number) {
  const { observedAt, windowStartedAt, windowEndedAt } = given;
  if (Date.parse(observedAt) > now + AHEAD_MS) {
    throw problem("validation_failed", "observation.observedAt: is in the future. Send the time of the measurement.");
  }
  const inOurForm = (text: string) => iso(Date.parse(text));
  return {
    observedAt: inOurForm(observedAt),
    windowStartedAt: inOurForm(windowStartedAt),
    windowEndedAt: inOurForm(windowEndedAt),
  };
}
