/** @jsxRuntime automatic @jsxImportSource preact */

import type { Contact } from "../../app/lookups.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { Chip, Section } from "../../ui/basics.tsx";
import { nameOf } from "../../ui/labels.ts";
import { Mark } from "../../ui/mark.tsx";
import { DoNotContact } from "../../ui/status.tsx";

const FOUND = 12;

/** The contacts that match the query `q`, or the newest ones, and the contact selected by the query `contact`. */
export async function chooseContact({ call, query }: PageContext, first = false) {
  const text = query.get("q")?.trim().slice(0, 200) ?? "";
  const { data: found } = await (text === ""
    ? call("list_contacts", { limit: FOUND })
    : call("search_contacts", { text, limit: FOUND }));
  const asked = query.get("contact");
  const given = asked === null ? undefined : (await call("get_contact", { id: asked })).data;
  const suppressed = await suppressedOf(call, [...found, ...(given === undefined ? [] : [given])]);
  // Those who must not be contacted come last.
  const [mayNot, may] = [true, false].map((is) => found.filter(({ id }) => suppressed.has(id) === is));
  const inOrder = [...(may ?? []), ...(mayNot ?? [])];
  const chosen = given ?? (first ? inOrder[0] : undefined);
  return { text, found: inOrder, chosen, suppressed, searched: asked === null && text !== "" };
}

/** Those of these contacts that are on the do-not-contact list. */
export async function suppressedOf(call: PageContext["call"], found: readonly Contact[]): Promise<ReadonlySet<string>> {
  const contact_ids = found.filter(({ email }) => email !== null).map(({ id }) => id);
  return new Set(contact_ids.length === 0 ? [] : (await call("find_suppressed_contacts", { contact_ids })).data);
}

type Choice = Awaited<ReturnType<typeof chooseContact>>;

interface Props extends Choice {
  title: string;
  /** What a contact is missing. */
  lacks?: (contact: Contact) => string | undefined;
}

/** A search for one contact. The URL holds the selection. */
export function Chooser({ title, ...choice }: Props) {
  const { chosen, searched, suppressed } = choice;
  return (
    <Section title={title}>
      {chosen === undefined ? (
        <Search {...choice} />
      ) : (
        <div class="card stack">
          <p>
            <Mark name={nameOf(chosen)} small /> <strong>{nameOf(chosen)}</strong>{" "}
            <span class="hint">{about(chosen).join(", ")}</span> {suppressed.has(chosen.id) && <DoNotContact />}
          </p>
          <details class="more" open={searched}>
            <summary>Change contact…</summary>
            <Search {...choice} />
          </details>
        </div>
      )}
    </Section>
  );
}

const about = ({ company, email }: Contact) => [company, email].filter((part) => part !== null);

function Search({ text, found, chosen, suppressed, lacks }: Omit<Props, "title">) {
  const { href, path } = usePageContext();
  return (
    <div>
      <form method="get" action={href(path)} class="inline seek" role="search" aria-label="Search contacts">
        <div class="field">
          <label for="chooser-q">Email, name or company</label>
          <input type="search" id="chooser-q" name="q" value={text} maxLength={200} />
        </div>
        <button type="submit">
          Search <span class="hidden">contacts</span>
        </button>
      </form>
      {found.length === 0 &&
        (text === "" ? (
          <p class="quiet">
            No contacts yet. <a href={href("/contacts")}>Add a contact</a>
          </p>
        ) : (
          <p class="quiet">No matches. Try the first letters of a name, email or company.</p>
        ))}
      <ul class="pick">
        {found.map((contact) => {
          const missing = lacks?.(contact);
          return (
            <li key={contact.id}>
              <a
                href={href(path, { q: text || undefined, contact: contact.id })}
                aria-current={contact.id === chosen?.id ? "true" : undefined}
              >
                <span>
                  <Mark name={nameOf(contact)} small /> <strong>{nameOf(contact)}</strong>{" "}
                  {suppressed.has(contact.id) && <DoNotContact />}
                </span>
                {about(contact).map((line) => (
                  <span key={line} class="hint">
                    {line}
                  </span>
                ))}
                {missing !== undefined && <Chip tone="needs">{missing}</Chip>}
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
