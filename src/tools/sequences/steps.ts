import { z } from "zod";
import { PLACEHOLDERS, type Step, templateFault } from "../../domain/sequence.ts";

const FILLS = `It may hold ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(", ")}.`;

function template(max: number) {
  return z
    .string()
    .max(max)
    .superRefine((text, issues) => {
      const message = templateFault(text);
      if (message !== undefined) issues.addIssue({ code: "custom", message });
    });
}

const filled = (max: number) => template(max).refine((text) => text.trim() !== "", "is empty");
const days = (min: number) => z.int().min(min).max(365);
const delay_days = days(0).default(0).describe("Whole days to wait before this step.");

const email = z.strictObject({
  type: z.literal("email"),
  subject: filled(500)
    .refine((text) => !/[\r\n]/.test(text), "has a line break; a subject is one line")
    .describe(`The subject line. ${FILLS}`),
  body: filled(20_000).describe(`The text of the message. ${FILLS}`),
  delay_days,
});

const connect = z.strictObject({
  type: z.literal("socialnet_connect"),
  note: template(300).describe(`The note with the connection request; empty for none. ${FILLS}`),
  delay_days,
});

const message = z.strictObject({
  type: z.literal("socialnet_message"),
  body: filled(8_000).describe(`The text of the message. ${FILLS}`),
  delay_days,
});

const wait = z.strictObject({ type: z.literal("wait"), days: days(1).describe("Whole days to wait.") });

const TYPES = [email, connect, message, wait].map(({ shape }) => shape.type.value).join(", ");

const step = z.discriminatedUnion("type", [email, connect, message, wait], {
  error: ({ code }) => (code === "invalid_union" ? `is none of ${TYPES}` : undefined),
}) satisfies z.ZodType<Step>;

export const Steps = z.array(step).min(1).max(50).describe("The steps, in their order.");
