/** @jsxRuntime automatic @jsxImportSource preact */

import { invalid } from "../../../core/problem.ts";
import type { Typed } from "../../app/form-data.ts";
import type { DataOf, InputOf } from "../../app/operations.ts";
import { type PageContext, usePageContext } from "../../app/page-context.ts";
import { screen } from "../../app/screen.ts";
import { Chip, Section, Table } from "../../ui/basics.tsx";
import { faultText, refusalText } from "../../ui/form.tsx";
import { amount, counted } from "../../ui/format.ts";
import { codeLabel } from "../../ui/labels.ts";
import { ServerCommand } from "../../ui/server-command.tsx";

type Preview = DataOf<"preview_import">;
type Imported = DataOf<"import_text">;
type Columns = NonNullable<InputOf<"import_text">["columns"]>;
type Field = NonNullable<Columns[number]>;

/** What the page shows: the form, what a list would do, or what it did. */
type Data =
  | { stage: "choose" }
  | { stage: "preview"; text: string; preview: Preview }
  | { stage: "done"; imported: Omit<Imported, "rejected_lines">; rejected: string };

const FIELDS: readonly Field[] = [
  ...(["email", "first_name", "last_name", "name", "company"] as const),
  ...(["job_title", "phone", "website", "socialnet_url", "tags"] as const),
];
const LABELS: Partial<Record<Field, string>> = { name: "Full name", socialnet_url: "Profile URL" };
const fieldLabel = (field: Field) => LABELS[field] ?? codeLabel(field);

/** Why a row is rejected, with the label of the field that the API names. */
export function rejectionText(reason: string): string {
  const [, name = "", says] = /^([a-z_]+)(?:\.\d+)?:? (.*)$/s.exec(reason) ?? [];
  if (name === "row") return faultText(`row: ${says}`, "row", "Row");
  const field = FIELDS.find((known) => known === name);
  return field === undefined ? reason : faultText(`${field}: ${says}`, field, fieldLabel(field));
}

/** Imports a CSV file or pasted lines: choose, check, import. */
export const importContacts = screen({
  path: "/contacts/import",
  title: "Import contacts",
  needs: "import_text",
  load: async (): Promise<Data> => ({ stage: "choose" }),
  receive,
  view: (data) => (
    <>
      <Fault />
      {data.stage === "choose" && <Choose />}
      {data.stage === "preview" && <Check text={data.text} preview={data.preview} />}
      {data.stage === "done" && <Done imported={data.imported} rejected={data.rejected} />}
    </>
  ),
});

async function receive(form: Typed, { call }: PageContext): Promise<Data> {
  const text = form.get("file")?.[0] ?? form.get("text")?.[0] ?? "";
  if (text.trim() === "") throw invalid(["text: choose a file or paste some lines"]);
  const chosen = form.get("column")?.map((field) => FIELDS.find((known) => known === field) ?? null);
  const given = { text, ...(chosen !== undefined && { columns: chosen }) };
  if (form.get("_act")?.[0] !== "import") {
    return { stage: "preview", text, preview: (await call("preview_import", given)).data };
  }
  const lines: string[] = [];
  for (;;) {
    const { rejected_lines, ...imported } = (await call("import_text", given)).data;
    lines.push(...rejected_lines);
    if (!imported.finished) continue;
    const rejected = lines.length === 0 ? "" : imported.rejected_header + lines.join("");
    return { stage: "done", imported, rejected };
  }
}

function Fault() {
  const { failed } = usePageContext();
  if (failed === undefined) return null;
  failed.shown = true;
  return (
    <p class="fault" role="alert">
      {refusalText(failed.problem)}
    </p>
  );
}

/** Chooses or drops a file, or takes pasted lines. */
export function Choose() {
  const { href, newToken } = usePageContext();
  const to = href("/contacts/import");
  return (
    <>
      <form method="post" action={to} encType="multipart/form-data" class="card" aria-label="Import a file" data-drop>
        <input type="hidden" name="_token" value={newToken()} />
        <div class="field">
          <label for="import-file">CSV file</label>
          <input id="import-file" type="file" name="file" accept=".csv,.tsv,.txt,text/csv,text/plain" required />
          <p class="hint">
            Drop a file here or choose one. A header row helps, but isn't required. The file can be up to 1 MB. Exports
            from HubSpot, Attio, Google Contacts and LinkedIn are recognized.
          </p>
        </div>
        <button type="submit" class="primary">
          Preview file
        </button>
      </form>
      <form method="post" action={to} class="card spaced" aria-label="Paste contacts">
        <input type="hidden" name="_token" value={newToken()} />
        <div class="field">
          <label for="import-text">Or paste lines</label>
          <textarea id="import-text" name="text" rows={5} class="mono" required />
          <p class="hint">
            One contact per line: an address, <code>Ada Lovelace &lt;ada@example.com&gt;</code>, or rows from a
            spreadsheet.
          </p>
        </div>
        <button type="submit">Preview lines</button>
      </form>
      <p class="hint below">
        For larger files, which need a header row, run <ServerCommand words="import FILE" />
      </p>
    </>
  );
}

/** What each column fills, and what the list would do. */
function Check({ text, preview }: { text: string; preview: Preview }) {
  const { href, newToken } = usePageContext();
  const { header, columns, rows_total, rows_checked, create, update, reject, rows } = preview;
  const of =
    rows_checked < rows_total
      ? `First ${amount(rows_checked)} of ${counted(rows_total, "row")}`
      : `Of ${counted(rows_total, "row")}`;
  return (
    <form method="post" action={href("/contacts/import")} encType="multipart/form-data" aria-label="Import contacts">
      <input type="hidden" name="_token" value={newToken()} />
      <input type="hidden" name="text" value={text} />
      <p class="lead">
        {of}: <Chip tone="done">{amount(create)} new</Chip> <Chip>{amount(update)} already in Rostrum</Chip>{" "}
        {reject > 0 && <Chip tone="stopped">{amount(reject)} rejected</Chip>}
      </p>
      <Section title="Columns">
        <div class="card tiles">
          {header.map((name, i) => (
            <div class="field" key={`${i} ${name}`}>
              <label for={`column-${i}`}>{name.trim() === "" ? `Column ${i + 1}` : name}</label>
              <select id={`column-${i}`} name="column">
                <option value="">Don't import</option>
                {FIELDS.map((field) => (
                  <option key={field} value={field} selected={columns[i] === field}>
                    {fieldLabel(field)}
                  </option>
                ))}
              </select>
            </div>
          ))}
        </div>
      </Section>
      <Section title="First rows">
        <Table
          caption="First rows"
          stacked
          rows={rows}
          keyOf={({ line }) => String(line)}
          columns={[
            { name: "Line", figure: true, cell: ({ line }) => line },
            ...header.slice(0, MAX_SHOWN).map((name, i) => ({
              name: name.trim() === "" ? `Column ${i + 1}` : name,
              cell: ({ cells }: Preview["rows"][number]) => (
                <span class="cut" title={cells[i]}>
                  {cells[i]}
                </span>
              ),
            })),
            {
              name: "Result",
              grow: "wrap" as const,
              cell: ({ reason }) =>
                reason === null ? <Chip tone="done">OK</Chip> : <Chip tone="stopped">{rejectionText(reason)}</Chip>,
            },
          ]}
        />
      </Section>
      <div class="bar">
        <button type="submit" name="_act" value="import" class="primary">
          Import {counted(rows_total, "row")}
        </button>
        <button type="submit" name="_act" value="preview">
          Preview again
        </button>
        <a class="button" href={href("/contacts/import")}>
          Start over
        </a>
      </div>
    </form>
  );
}

/** Columns that the preview shows. */
const MAX_SHOWN = 6;

function Done({ imported, rejected }: { imported: Omit<Imported, "rejected_lines">; rejected: string }) {
  const { href } = usePageContext();
  return (
    <>
      <p class="lead" role="status">
        {imported.imported_before
          ? "Nothing changed, because this list was already imported. That import: "
          : "Import complete: "}
        <Chip tone="done">{imported.created} new</Chip> <Chip>{imported.updated} updated</Chip>{" "}
        <Chip>{imported.unchanged} unchanged</Chip>{" "}
        {imported.rejected > 0 && <Chip tone="stopped">{imported.rejected} rejected</Chip>}
      </p>
      {rejected !== "" && (
        <p>
          <a
            class="button"
            download="rejected.csv"
            href={`data:text/csv;charset=utf-8,${encodeURIComponent(rejected)}`}
          >
            Download rejected rows
          </a>{" "}
          <span class="quiet">Fix the rows in this file, then import it.</span>
        </p>
      )}
      <p class="bar">
        <a class="button primary" href={href("/contacts")}>
          View contacts
        </a>
        <a class="button" href={href("/")}>
          Back to Today
        </a>
      </p>
    </>
  );
}
