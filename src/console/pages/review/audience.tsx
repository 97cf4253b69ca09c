/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../../app/page-context.ts";
import { Chip } from "../../ui/basics.tsx";
import { amount } from "../../ui/format.ts";
import { Messages } from "../outreach/messages.tsx";
import { RecipientValues } from "../outreach/recipients.tsx";
import { SentAs } from "../outreach/sender.tsx";
import { pathOf, type Whole } from "./load.ts";

/** The sender and the contacts of an audience, each with all its values and every message in full. */
export function ShownAudience({ whole }: { whole: Whole }) {
  const { sequence, sender, audience, audience_page } = whole;
  if (sequence === null) return null;
  return (
    <>
      {sender !== null && <SentAs sender={sender} steps={sequence.steps} />}
      <ul class="stack" aria-label="Contacts">
        {audience.map((contact) => (
          <li key={contact.contact_id} class="card recipient">
            <strong>{contact.name}</strong>{" "}
            {contact.changed && (
              <>
                <Chip tone="needs">Needs a new approval</Chip>
                <span class="hint">
                  This contact's details changed after this approval. To send messages to this contact, approve and
                  activate a new audience that includes them.
                </span>
              </>
            )}
            <RecipientValues contact={contact} />
            <Messages messages={contact.messages} />
          </li>
        ))}
      </ul>
      {audience_page !== null && <ContactPages whole={whole} page={audience_page} />}
    </>
  );
}

/** Which contacts of an audience the page shows, with links to the others. */
function ContactPages({ whole, page }: { whole: Whole; page: NonNullable<Whole["audience_page"]> }) {
  const { href } = usePageContext();
  const { limit, offset, hasMore } = page;
  const total = page.total ?? 0;
  if (total <= limit && offset === 0) return null;
  const at = (start: number) => href(pathOf(whole), start > 0 ? { offset: start } : {});
  return (
    <nav class="pager" aria-label="Contacts">
      <span class="quiet">
        Contacts {amount(Math.min(offset + 1, total))}–{amount(Math.min(offset + limit, total))} of {amount(total)}
      </span>
      {offset > 0 && (
        <a class="button" rel="prev" href={at(Math.max(0, offset - limit))}>
          Previous contacts
        </a>
      )}
      {hasMore && (
        <a class="button" rel="next" href={at(offset + limit)}>
          Next contacts
        </a>
      )}
    </nav>
  );
}
