/** @jsxRuntime automatic @jsxImportSource preact */
import { type Contact, inWords, nameOf } from "../../names.ts";
import { Chip, Table, Time } from "../../parts/basics.tsx";
import { useVisit } from "../../visit.ts";

interface TableProps {
  caption: string;
  rows: readonly Contact[];
  /** All are of one company, which the page names. */
  within?: boolean;
}

export function ContactTable({ caption, rows, within = false }: TableProps) {
  const { href } = useVisit();
  return (
    <Table
      caption={caption}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: "Name",
          cell: (contact) => (
            <a class="cut" href={href(`/contacts/${contact.id}`)}>
              {nameOf(contact)}
            </a>
          ),
        },
        ...(within ? [] : [{ name: "Company", cell: ({ company }: Contact) => <Cut>{company}</Cut> }]),
        { name: "E-mail address", wide: true, cell: ({ email }) => <Cut wide>{email}</Cut> },
        { name: "Stage", cell: ({ lifecycle }) => lifecycle !== null && <Chip>{inWords(lifecycle)}</Chip> },
        ...(within ? [] : [{ name: "Tags", wide: true, cell: ({ tags }: Contact) => <Tags tags={tags ?? []} /> }]),
        { name: "Added", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}

/** On one line, however long it is; the whole on hover. */
function Cut({ children, wide = false }: { children: string | null; wide?: boolean }) {
  if (children === null) return null;
  return (
    <span class={wide ? "cut broad" : "cut"} title={children}>
      {children}
    </span>
  );
}

const TAGS_SHOWN = 2;

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  const more = tags.length - TAGS_SHOWN;
  return (
    <span class="cut" title={tags.join(", ")}>
      {tags.slice(0, TAGS_SHOWN).join(", ")}
      {more > 0 && <span class="quiet"> +{more}</span>}
    </span>
  );
}
