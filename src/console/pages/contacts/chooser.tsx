/** @jsxRuntime automatic @jsxImportSource preact */

import type { Contact } from "../../app/lookups.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { Chip, Section } from "../../ui/basics.tsx";
import { nameOf } from "../../ui/labels.ts";

const FOUND = 12;

/** Who is found by the address's `q`, the newest without one, and who is chosen by its `contact`. */
export async function chooseContact({ call, query }: PageContext, first = false) {
  const text = query.get("q")?.trim().slice(0, 200) ?? "";
  const { data: found } = await (text === ""
    ? call("list_contacts", { limit: FOUND })
    : call("search_contacts", { text, limit: FOUND }));
  const asked = query.get("contact");
  const chosen = asked === null ? (first ? found[0] : undefined) : (await call("get_contact", { id: asked })).data;
  return { text, found, chosen, searched: asked === null && text !== "" };
}

type Choice = Awaited<ReturnType<typeof chooseContact>>;

interface Props extends Choice {
  title: string;
  /** What a contact would need first. */
  lacks?: (contact: Contact) => string | undefined;
}

/** Contacts found by a search. The selection is in the address, and the selected contact comes first. */
export function Chooser({ title, ...choice }: Props) {
  const { chosen, searched } = choice;
  return (
    <Section title={title}>
      {chosen === undefined ? (
        <Search {...choice} />
      ) : (
        <div class="card stack">
          <p>
            <strong>{nameOf(chosen)}</strong> <span class="hint">{about(chosen).join(", ")}</span>
          </p>
          <details class="more" open={searched}>
            <summary>Somebody else…</summary>
            <Search {...choice} />
          </details>
        </div>
      )}
    </Section>
  );
}

const about = ({ company, email }: Contact) => [company, email].filter((part) => part !== null);

function Search({ text, found, chosen, lacks }: Omit<Props, "title">) {
  const { href, path } = usePageContext();
  return (
    <div>
      <form method="get" action={href(path)} class="inline seek" role="search" aria-label="Find a contact">
        <div class="field">
          <label for="chooser-q">Address, name or company</label>
          <input type="search" id="chooser-q" name="q" value={text} maxLength={200} />
        </div>
        <button type="submit">
          Find <span class="hidden">a contact</span>
        </button>
      </form>
      {found.length === 0 && <p class="quiet">Nobody is found.</p>}
      <ul class="pick">
        {found.map((contact) => {
          const lacking = lacks?.(contact);
          return (
            <li key={contact.id}>
              <a
                href={href(path, { q: text || undefined, contact: contact.id })}
                aria-current={contact.id === chosen?.id ? "true" : undefined}
              >
                <strong>{nameOf(contact)}</strong>
                {about(contact).map((line) => (
                  <span key={line} class="hint">
                    {line}
                  </span>
                ))}
                {lacking !== undefined && <Chip tone="needs">{lacking}</Chip>}
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
