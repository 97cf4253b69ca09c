/** @jsxRuntime automatic @jsxImportSource preact */

import { pageOf } from "../../app/lookups.ts";
import { usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Pager, Table, Time } from "../../ui/basics.tsx";
import { Status } from "../../ui/status.tsx";

export const sequences = screen({
  path: "/sequences",
  title: "Sequences",
  needs: "list_sequences",
  load: (ctx) => ctx.call("list_sequences", pageOf(ctx)),
  action: () => <ListActions />,
  view: ({ data, meta }) => (
    <div data-refresh="sequences">
      {data.length === 0 ? (
        <Empty title="No sequences yet">
          <p>
            A sequence sends contacts a series of messages. You approve the recipients before anything is sent.{" "}
            <NewSequenceLink />
          </p>
        </Empty>
      ) : (
        <List rows={data} />
      )}
      <Pager meta={meta} />
    </div>
  ),
});

export function SequenceStatus({ status }: { status: string | null }) {
  return <Status of={status ?? "draft"} />;
}

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

interface Row {
  id: string;
  name: string;
  description: string | null;
  status: string | null;
  created_at: string;
}

function List({ rows }: { rows: readonly Row[] }) {
  const { href } = usePageContext();
  return (
    <Table
      caption="Sequences, newest first"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { name: "Name", cell: ({ id, name }) => <a href={href(`/sequences/${id}`)}>{name}</a> },
        { name: "Status", phone: "end", cell: ({ status }) => <SequenceStatus status={status} /> },
        { name: "Description", grow: "wrap", cell: ({ description }) => description },
        { name: "Created", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}
