import { z } from "zod";
import { hostName } from "../../domain/contacts/account.ts";
import { iso } from "../../lib/time.ts";
import type { AccountRow } from "../../store/contacts.ts";
import { isWebUrl, NOT_URL } from "./contact-schema.ts";

const MAX_TEXT = 500;
const MAX_URL = 2_000;

const text = (max: number) => z.string().max(max).trim();

export const accountName = text(MAX_TEXT).min(1).describe("The company's name.");

const orNull = (given: string | null | undefined) => (given === "" ? null : given);

function toHost(given: string, ctx: z.RefinementCtx<string>): string {
  const host = hostName(given);
  if (host !== null) return host;
  ctx.addIssue({ code: "custom", message: "must be a host name such as acme.example", input: given });
  return z.NEVER;
}

const DOMAIN = "The company's domain, such as acme.example. A scheme, port, path or leading www. is removed.";
const CLEARS = "Null or an empty string clears it.";

/** A domain to find an account by, made the form that accounts keep. */
export const soughtDomain = text(MAX_URL).transform(toHost).meta({ description: DOMAIN });

/** What create and update both take in addition to the name. Null and the empty string mean that there is no value. */
export const companyFields = {
  domain: text(MAX_URL)
    .transform((given, ctx) => (given === "" ? null : toHost(given, ctx)))
    .nullish()
    .meta({ description: `${DOMAIN} ${CLEARS}` }),
  website: text(MAX_URL)
    .refine((given) => given === "" || isWebUrl(given), NOT_URL)
    .nullish()
    .transform(orNull)
    .meta({ description: `The company's website, an absolute URL. ${CLEARS}` }),
  industry: text(MAX_TEXT)
    .nullish()
    .transform(orNull)
    .meta({ description: `What the company does, in a few words. ${CLEARS}` }),
};

export const Account = z.object({
  id: z.uuid(),
  name: z.string(),
  domain: z.string().nullable().describe("In lower case, without scheme and www."),
  website: z.string().nullable(),
  industry: z.string().nullable(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
});

export function toAccount(row: AccountRow): z.infer<typeof Account> {
  return {
    id: row.id,
    name: row.name,
    domain: row.domain,
    website: row.website,
    industry: row.industry,
    created_at: iso(row.createdAt),
    updated_at: iso(row.updatedAt),
  };
}
