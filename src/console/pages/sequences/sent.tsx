/** @jsxRuntime automatic @jsxImportSource preact */
import { SETTINGS } from "../../../config.ts";
import { SEND_STATUSES } from "../../../domain/sending.ts";
import type { DataOf } from "../../answers.ts";
import { Status } from "../../parts/status.tsx";
import { useVisit, type Visit } from "../../visit.ts";

type Send = DataOf<"list_sends">[number];

/** Why a message lies in a file, and what whoever runs the server has to do about it. */
export function NoMailServer() {
  return (
    <>
      No mail server is set for this Rostrum (<code>{SETTINGS.smtpUrl.env}</code>), so it was written to a file, and not
      sent.
    </>
  );
}

/** What the messages said, by their ids. The timeline keeps it of those that came to an end; of others there is none. */
export async function textsOf({ call }: Visit, sends: readonly Send[]): Promise<Map<string, string>> {
  const contacts = [...new Set(sends.map(({ contact_id }) => contact_id))];
  const timelines = await Promise.all(
    contacts.map((contact_id) =>
      call("list_activities", { contact_id, limit: 100 }).then(
        ({ data }) => data,
        () => [],
      ),
    ),
  );
  const told = timelines.flat().filter(({ type }) => type === "email_sent" || type === "email_not_sent");
  return new Map(told.flatMap(({ metadata, body }) => (body === null ? [] : [[String(metadata.send_id), body]])));
}

/** What became of a message, why, and what it said. */
export function Outcome({ send, text }: { send: Send; text: string | undefined }) {
  const { status, detail } = send;
  return (
    <div>
      <span title={SEND_STATUSES[status]}>
        <Status of={status} />
      </span>
      {status === "written" ? <Written file={detail} /> : detail !== null && <p class="hint">{detail}</p>}
      {text !== undefined && (
        <details class="more">
          <summary>Read it</summary>
          <p>
            <strong>{send.subject}</strong>
          </p>
          <div class="copytext">{text}</div>
        </details>
      )}
    </div>
  );
}

function Written({ file }: { file: string | null }) {
  const { may } = useVisit();
  return (
    <>
      <p class="hint">
        <NoMailServer />
      </p>
      {file !== null && may("set_sending_policy") && (
        <p class="hint">
          As it would have gone out: <code>{file}</code>
        </p>
      )}
    </>
  );
}
