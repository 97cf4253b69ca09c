import { z } from "zod";

/** The fields that the agent reads from the gateway's answers, which have more. */
const time = z.iso.datetime();

const Account = z.looseObject({ id: z.string(), label: z.string(), profileUrl: z.string() });

export const Setup = z.looseObject({
  bound: z.boolean(),
  executionActivated: z.boolean(),
  events: z.array(z.string()),
});
export type Setup = z.infer<typeof Setup>;

export const Brief = z.looseObject({
  account: Account,
  windows: z.looseObject({ timeZone: z.string() }),
  reconnect: z.looseObject({ acknowledgedAt: time.nullable() }).nullable(),
});
export type Brief = z.infer<typeof Brief>;

export const Action = z.looseObject({
  id: z.string(),
  kind: z.enum(["connection_request", "message"]),
  approvedAt: time.nullable(),
  blockedBy: z.looseObject({ reason: z.string(), nextWindowAt: time.nullish() }).nullable(),
});
export type Action = z.infer<typeof Action>;

export const Claim = z.looseObject({ leaseToken: z.string() });

/** The action to execute: this copy, to this person. */
export const Start = z.looseObject({ copy: z.string(), recipient: z.looseObject({ profileUrl: z.string() }) });

export const Result = z.looseObject({ status: z.string() });

export const Synced = z.looseObject({
  results: z.array(
    z.looseObject({ externalKey: z.string(), status: z.enum(["recorded", "already_recorded", "unmatched"]) }),
  ),
});

export const Subscribed = z.looseObject({ refreshBefore: time });

export const Anything = z.looseObject({});

/** A tool's answer: the envelope, or the shape of a 409, which has a reason in place of a code. */
export const Envelope = z.looseObject({
  data: z.unknown().optional(),
  meta: z.looseObject({ hasMore: z.boolean() }).optional(),
  error: z.string().nullable(),
  code: z.string().optional(),
  reason: z.string().optional(),
  nextWindowAt: time.nullish(),
});
export type Envelope = z.infer<typeof Envelope>;
