import type { ContactFields } from "./contact.ts";

/** The tag of sample contacts. */
export const SAMPLE_TAG = "sample";

const COMPANIES = [
  ["Harbor Shipping", "harbor"],
  ["Corner Bakery", "bakery"],
  ["Lumen Optics", "lumen"],
] as const;

const PEOPLE = [
  ["Amara", "Okafor", "Head of Operations"],
  ["Jonas", "Berg", "Purchasing Manager"],
  ["Priya", "Raman", "Chief Financial Officer"],
  ["Mateo", "Silva", "Plant Manager"],
  ["Hana", "Sato", "Head of Sales"],
  ["Claire", "Dubois", "Founder"],
  ["Tariq", "Khan", "Logistics Lead"],
  ["Elena", "Nowak", "Marketing Director"],
  ["Daniel", "Mensah", "IT Manager"],
  ["Grace", "Miller", "Office Manager"],
] as const;

/** Fictional people to try Rostrum with. Their addresses can't exist (RFC 2606). */
export const SAMPLE_CONTACTS: readonly (ContactFields & { email: string })[] = PEOPLE.map(([first, last, title], i) => {
  const [company, domain] = COMPANIES[i % COMPANIES.length] ?? COMPANIES[0];
  const name = `${first}.${last}`.toLowerCase();
  return {
    first_name: first,
    last_name: last,
    job_title: title,
    company,
    email: `${name}@${domain}.sample.example`,
  };
});
