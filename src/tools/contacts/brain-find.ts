import { z } from "zod";
import { type Problem, type ProblemCode, problem } from "../../core/problem.ts";

/** How many records of one name are listed for the caller to choose from. */
export const MAX_CANDIDATES = 10;

/** What a Brain view answers where several records match a name. */
export function candidates<T extends z.ZodType>(candidate: T) {
  return z.object({
    candidates: z
      .array(candidate)
      .max(MAX_CANDIDATES)
      .describe(
        `The records that match the name, up to ${MAX_CANDIDATES}. Call again with the id of one, or with more of the name.`,
      ),
  });
}

/** Longer values are cut in messages. */
const MAX_SHOWN = 100;

/** How else a record can be found, by the code of its refusal. */
const ID_HINTS: Partial<Record<ProblemCode, string>> = {
  contact_not_found: "Check the id, or search by name or email.",
  account_not_found: "Check the id, or search by name.",
  deal_not_found: "Check the id, or find the deal with brain_contact or brain_account.",
};
const HINTS: Record<string, string> = {
  name: "Check the spelling, or send only the beginning of the name.",
};
const ANY_HINT = "Check the value, or find the record by name.";

/** Contacts may name a company that has no account. */
export const CONTACTS_OF_COMPANY = "Contacts by company name: over REST, POST /contacts/query with filter.company.";

/** The refusal of a selector that finds nothing: it names what was sent. */
export function notFound(
  code: ProblemCode,
  record: string,
  selector: Readonly<Record<string, unknown>>,
  more = "",
): Problem {
  const [field = "id", value] = Object.entries(selector).find(([, sent]) => sent !== undefined) ?? [];
  const characters = [...String(value)];
  const shown = characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join("")}…` : String(value);
  const hints = [(field === "id" ? ID_HINTS[code] : HINTS[field]) ?? ANY_HINT, more].filter(Boolean).join(" ");
  return problem(code, `No ${record} in this workspace has the ${field} "${shown}". ${hints}`);
}
