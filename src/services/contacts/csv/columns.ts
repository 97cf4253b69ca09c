import { CONTACT_FIELDS, type ContactField, IDENTIFYING_FIELDS } from "../../../domain/contacts/contact.ts";
import { unescapeFormula } from "./formula.ts";

/** What a column can hold: a field of a contact, a whole name to be split, or tags. */
export const COLUMN_FIELDS = [...CONTACT_FIELDS, "name", "tags"] as const;
export type ColumnField = (typeof COLUMN_FIELDS)[number];

/**
 * The column names that are recognized, by the field they fill: those of HubSpot, Attio, Google Contacts and the
 * professional network, and our own. In lower case with "_" as a space; # is any number. Where several columns fill one
 * field, the first in this order that is not empty wins.
 */
export const KNOWN_COLUMNS: Record<ColumnField, readonly string[]> = {
  email: ["email", "email address", "email addresses", "work email", "email # - value"],
  first_name: ["first name", "firstname", "given name"],
  last_name: ["last name", "lastname", "family name"],
  company: [
    "company",
    "company name",
    "company > name",
    "primary company",
    "associated company",
    "organization name",
    "organization # - name",
  ],
  job_title: ["job title", "jobtitle", "position", "organization title", "organization # - title"],
  phone: ["phone", "phone number", "phone numbers", "mobile phone number", "mobilephone", "phone # - value"],
  socialnet_url: ["socialnet url", "linkedin", "linkedin url", "hs linkedin url", "profile url", "url"],
  website: ["website", "website url", "website # - value"],
  name: ["name", "full name", "person name", "record"],
  tags: ["tags", "labels", "group membership"],
};

/** "URL" is a person's profile only if the file has this column; elsewhere it could be any page. */
const CONNECTIONS_MARK = "connected on";

/** The form in which column names are compared. */
export function columnKey(name: string): string {
  return unescapeFormula(name)
    .replace(/^\uFEFF/, "")
    .replaceAll("_", " ")
    .trim()
    .replace(/\s+/g, " ")
    .toLowerCase()
    .replace(/\be-mail/g, "email");
}

export interface ColumnPlan {
  /** The positions of the columns that fill a field, the most trusted first. */
  sources: Partial<Record<ColumnField, number[]>>;
  /** The names of the columns that fill none. */
  ignored: string[];
}

/** Column names, in their comparable form, that a person gave a field. */
export type ColumnMapping = ReadonlyMap<string, ColumnField>;

/** Decides what each column of a header fills. A field that the mapping names is filled only by the mapped columns. */
export function planColumns(header: readonly string[], mapping: ColumnMapping = new Map()): ColumnPlan {
  const keys = header.map(columnKey);
  const mapped = new Set(mapping.values());
  const found = keys.map((key) => mapping.get(key) ?? recognize(key, keys, mapped));
  const sources: ColumnPlan["sources"] = {};
  for (const field of COLUMN_FIELDS) {
    const positions = found.flatMap((candidate, index) => (candidate === field ? [index] : []));
    if (!mapped.has(field)) positions.sort((a, b) => rank(field, keys[a]) - rank(field, keys[b]));
    if (positions.length > 0) sources[field] = positions;
  }
  const ignored = header.filter((name, index) => found[index] === undefined && name.trim() !== "");
  return { sources, ignored: ignored.map((name) => name.replace(/^\uFEFF/, "").trim()) };
}

function recognize(key: string, header: readonly string[], taken: ReadonlySet<ColumnField>): ColumnField | undefined {
  if (key === "url" && !header.includes(CONNECTIONS_MARK)) return undefined;
  return COLUMN_FIELDS.find((field) => !taken.has(field) && rank(field, key) !== -1);
}

function rank(field: ColumnField, key = ""): number {
  return KNOWN_COLUMNS[field].indexOf(key.replace(/ \d+ - /, " # - "));
}

/** Whether a file with these columns can name a person at all. */
export function identifies({ sources }: ColumnPlan): boolean {
  return [...IDENTIFYING_FIELDS, "name" as const].some((field) => sources[field] !== undefined);
}

/**
 * Which of a file's first rows is its header: the first with a column that names a person, so that lines of notes
 * before it are passed over. Undefined where none has.
 */
export function findHeader(rows: readonly (readonly string[])[], mapping?: ColumnMapping): number | undefined {
  const index = rows.findIndex((row) => identifies(planColumns(row, mapping)));
  return index === -1 ? undefined : index;
}

export type ImportedFields = { [F in ContactField]?: string } & { tags?: string[] };

/** Reads one row by the plan. Only what has a value is there. */
export function readFields({ sources }: ColumnPlan, cells: readonly string[]): ImportedFields {
  const value = (field: ColumnField): string => {
    const texts = (sources[field] ?? []).map((index) => unescapeFormula((cells[index] ?? "").trim()).trim());
    return texts.find((text) => text !== "") ?? "";
  };
  const fields: ImportedFields = {};
  for (const field of CONTACT_FIELDS) {
    const text = firstOf(field, value(field));
    if (text !== "") fields[field] = text;
  }
  const tags = splitTags(value("tags"));
  if (tags.length > 0) fields.tags = tags;
  return { ...splitName(value("name")), ...fields };
}

const MANY: Partial<Record<ContactField, RegExp>> = {
  email: /:::|[;,]/,
  phone: /:::/,
  socialnet_url: /:::/,
  website: /:::/,
};

/** Some exports put several values into one cell; a contact takes the first. */
function firstOf(field: ContactField, text: string): string {
  const divider = MANY[field];
  if (divider === undefined) return text;
  const parts = text.split(divider).map((part) => part.trim());
  return parts.find((part) => part !== "") ?? "";
}

/**
 * "Ada King Lovelace" and "Lovelace, Ada": everything after the first word is the last name. An email address is not a
 * name.
 */
function splitName(name: string): Pick<ImportedFields, "first_name" | "last_name"> {
  if (name === "" || name.includes("@")) return {};
  const [, word = name, rest] = /^(\S+)\s+(.+)$/s.exec(name) ?? [];
  if (rest === undefined) return { first_name: name };
  return word.endsWith(",")
    ? { first_name: rest, last_name: word.slice(0, -1) }
    : { first_name: word, last_name: rest };
}

/** Labels as Google writes them ("Friends ::: * myContacts", where * marks its own), or a list with , or ; */
function splitTags(text: string): string[] {
  const parts = text.split(text.includes(":::") ? ":::" : /[;,]/).map((part) => part.trim());
  return parts.filter((part) => part !== "" && !part.startsWith("* "));
}
