/** @jsxRuntime automatic @jsxImportSource preact */
import { HOLDS, type HoldReason } from "../../../domain/sending.ts";
import { PLACEHOLDERS, placeholdersIn, type Step } from "../../../domain/sequence.ts";
import { Chip } from "../../parts/basics.tsx";
import { useVisit } from "../../visit.ts";

interface Props {
  reason: HoldReason;
  detail: string | null;
  contactId: string;
}

/** Why an enrollment waits for a person, in a sentence, and the page where that is mended. */
export function WhyHeld({ reason, detail, contactId }: Props) {
  const { href, path } = useVisit();
  const missing = missingOf(reason, detail);
  const ofContact = missing.some((name) => name !== SENDER);
  return (
    <>
      <p class="hint">{holdInWords(reason, detail)}</p>
      {ofContact && path !== `/contacts/${contactId}` && (
        <p class="hint">
          <a href={href(`/contacts/${contactId}`)}>Complete the contact</a>
        </p>
      )}
      {missing.includes(SENDER) && (
        <p class="hint">
          <SetSender />
        </p>
      )}
    </>
  );
}

const SENDER = "sender_name";

/** Why it waits, in a sentence. */
export function holdInWords(reason: HoldReason, detail: string | null): string {
  const missing = missingOf(reason, detail);
  if (missing.length === 0) return detail ?? HOLDS[reason];
  return `Nothing to put for ${missing.map((name) => `{{${name}}}`).join(", ")}. Fill that in, then release it.`;
}

/** The detail names the placeholders, and is written for people: what it names is looked for among those there are. */
function missingOf(reason: HoldReason, detail: string | null) {
  if (reason !== "unfilled" || detail === null) return [];
  return PLACEHOLDERS.filter((name) => new RegExp(`\\b${name}\\b`).test(detail));
}

/** Said before anything is approved: afterwards every enrollment would wait for it. */
export function SenderMissing({ steps }: { steps: readonly Step[] }) {
  const { workspace } = useVisit();
  if (workspace.sending_policy.sender_name !== null || !placeholdersIn(steps).includes(SENDER)) return null;
  return (
    <p class="notice">
      <Chip tone="needs">Needs a name</Chip> The steps say {"{{sender_name}}"}, and the workspace has no sender's name:
      each message would wait for one. <SetSender />
    </p>
  );
}

function SetSender() {
  const { href, may } = useVisit();
  return (
    <a href={href("/settings/workspace")}>
      {may("set_sending_policy") ? "Set the sender's name" : "An administrator sets the sender's name"}
    </a>
  );
}
