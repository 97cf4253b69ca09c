/** @jsxRuntime automatic @jsxImportSource preact */
import { type Contact, nameOf } from "../../names.ts";
import { Section } from "../../parts/basics.tsx";
import { useVisit, type Visit } from "../../visit.ts";

const FOUND = 10;

/** Who is found by the address's `q`, the newest without one, and who is chosen by its `contact`. */
export async function chooseContact({ call, query }: Visit, first = false) {
  const text = query.get("q")?.trim().slice(0, 200) ?? "";
  const { data: found } = await (text === ""
    ? call("list_contacts", { limit: FOUND })
    : call("search_contacts", { text, limit: FOUND }));
  const asked = query.get("contact");
  const chosen = asked === null ? (first ? found[0] : undefined) : (await call("get_contact", { id: asked })).data;
  return { text, found, chosen };
}

type Chosen = Awaited<ReturnType<typeof chooseContact>>;

/** A contact, found by a search: the choice stands in the address. */
export function Chooser({ title, text, found, chosen }: Chosen & { title: string }) {
  const { href, path } = useVisit();
  return (
    <Section title={title}>
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
        {found.map((contact: Contact) => (
          <li key={contact.id}>
            <a
              href={href(path, { q: text || undefined, contact: contact.id })}
              aria-current={contact.id === chosen?.id ? "true" : undefined}
            >
              <strong>{nameOf(contact)}</strong>
              <span class="hint">{[contact.company, contact.email].filter(Boolean).join(", ")}</span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}
