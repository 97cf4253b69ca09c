/** A contact as the API shows it. Times are RFC 3339 in UTC. */
export interface Contact {
  id: string;
  email: string | null;
  first_name: string | null;
  last_name: string | null;
  company: string | null;
  job_title: string | null;
  phone: string | null;
  socialnet_url: string | null;
  website: string | null;
  lifecycle: string | null;
  source: string | null;
  tags: string[] | null;
  created_at: string;
  updated_at: string;
}

/** The fields a caller may set, in the order in which they are shown. */
export const CONTACT_FIELDS = [
  "email",
  "first_name",
  "last_name",
  "company",
  "job_title",
  "phone",
  "socialnet_url",
  "website",
] as const;

export type ContactField = (typeof CONTACT_FIELDS)[number];
export type ContactFields = { [F in ContactField]?: string | null | undefined };

/** At least one of these is always set: a contact needs a name. */
export const IDENTIFYING_FIELDS = ["email", "first_name", "last_name"] as const;

/** Where a value came from: the kind of access by which it was written. */
export type ProvenanceSource = "public_api" | "member" | "enrichment" | "import" | "agent";

/** Sources by which an agent writes. */
export const AGENT_SOURCES: readonly ProvenanceSource[] = ["public_api", "agent"];

/** Sources that put a company on record. What an agent wrote does not count until a person says so. */
export const ON_RECORD: readonly ProvenanceSource[] = ["member", "import", "enrichment"];

export function isIdentified(fields: ContactFields): boolean {
  return IDENTIFYING_FIELDS.some((field) => Boolean(fields[field]));
}

export const MAX_TAGS = 50;

/** Adds new tags up to 50 and sorts all; existing ones stay. Tags are trimmed and lower-cased. */
export function mergeTags(existing: readonly string[], given: readonly string[]): string[] {
  const merged = new Set(existing);
  for (const tag of given.map((text) => text.trim().toLowerCase())) {
    if (tag !== "" && merged.size < MAX_TAGS) merged.add(tag);
  }
  return [...merged].sort();
}
