/** @jsxRuntime automatic @jsxImportSource preact */

import { pageOf } from "../../app/lookups.ts";
import type { DataOf } from "../../app/operations.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Pager, Table, Time } from "../../ui/basics.tsx";
import { amount } from "../../ui/format.ts";
import { NUMBERS, type Numbers, SequenceStatus } from "./numbers.tsx";

export const sequences = screen({
  path: "/sequences",
  title: "Sequences",
  needs: "list_sequences",
  async load(ctx) {
    const { data, meta } = await ctx.call("list_sequences", pageOf(ctx));
    const sequence_ids = data.map(({ id }) => id);
    const numbers = sequence_ids.length === 0 ? [] : (await ctx.call("summarize_sequences", { sequence_ids })).data;
    return { data, meta, numbers: new Map(numbers.map((one) => [one.sequence_id, one])) };
  },
  action: () => <ListActions />,
  view: ({ data, meta, numbers }) => (
    <div data-refresh="sequences">
      {data.length === 0 ? (
        <Empty title="No sequences yet">
          <p>
            A sequence sends contacts a series of messages. You approve the recipients before anything is sent.{" "}
            <NewSequenceLink />
          </p>
        </Empty>
      ) : (
        <List rows={data} numbers={numbers} />
      )}
      <Pager meta={meta} />
    </div>
  ),
});

function ListActions() {
  const { may, href } = usePageContext();
  return (
    <div class="bar-inline">
      <a class="button" href={href("/sequences/sends")}>
        Email log
      </a>
      {may("create_sequence") && (
        <a class="button primary" href={href("/sequences/new")}>
          New sequence
        </a>
      )}
    </div>
  );
}

function NewSequenceLink() {
  const { may, href } = usePageContext();
  if (!may("create_sequence")) return <>Ask an admin or a rep to create one.</>;
  return <a href={href("/sequences/new")}>Create your first sequence</a>;
}

interface ListProps {
  rows: DataOf<"list_sequences">;
  numbers: ReadonlyMap<string, Numbers>;
}

function List({ rows, numbers }: ListProps) {
  const { href } = usePageContext();
  return (
    <Table
      caption="Sequences, newest first"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          name: "Name",
          grow: "wrap",
          cell: ({ id, name, description }) => (
            <div>
              <a href={href(`/sequences/${id}`)}>{name}</a>
              {description !== null && <p class="hint">{description}</p>}
            </div>
          ),
        },
        {
          name: "Status",
          phone: "end",
          cell: ({ id, status }) => <SequenceStatus status={status} channels={numbers.get(id)} />,
        },
        ...NUMBERS.map(({ name, count }) => ({
          name,
          figure: true,
          phone: "named" as const,
          cell: ({ id }: { id: string }) => {
            const found = numbers.get(id);
            return found !== undefined && amount(count(found));
          },
        })),
        { name: "Created", wide: "roomy", cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}
