/** @jsxRuntime automatic @jsxImportSource preact */

import { ALL_SCOPES, type Scope } from "../../../domain/access/roles.ts";
import { usePageContext } from "../../app/page-context.ts";
import { protocolsOf } from "../../app/scope-map.ts";
import { Section } from "../../ui/basics.tsx";
import { Select, TextField } from "../../ui/fields.tsx";
import { EnterButton, Form, useForm } from "../../ui/form.tsx";
import { isReading, scopeGroups, wordsOf } from "./scopes.tsx";

const FIELD = "scopes:list";

/** Scopes that one button selects. */
const CHOICES: Record<string, { say: string; scopes: readonly string[] }> = {
  all: { say: "Everything", scopes: ALL_SCOPES },
  read: { say: "Reading only", scopes: ALL_SCOPES.filter(isReading) },
  none: { say: "Nothing", scopes: [] },
};

interface Props {
  /** The labels of the workspace's accounts on the social network, by id. */
  senders: ReadonlyMap<string, string>;
}

export function MakeKey({ senders }: Props) {
  const { draft } = usePageContext();
  return (
    <Section title="Make a key" id="make">
      <Form does="create_key" class="card" label="Make a key">
        <EnterButton>Make this key</EnterButton>
        <div class="pair">
          <TextField name="name" label="Name" hint="What the key is for." value={draft?.get("name")?.[0]} required />
          <TextField
            name="expires_in_days"
            kind="number"
            type="number"
            label="Ends after days"
            hint="Left empty, it does not end by itself."
            value={draft?.get("expires_in_days:number")?.[0]}
          />
        </div>
        {senders.size > 0 && (
          <Select
            name="socialnet_account_id"
            kind="optional"
            label="Acts for"
            hint="Only with one of them is the key of use for work on the social network, and for that one alone."
            choices={[{ value: "", label: "No account" }, ...[...senders].map(([value, label]) => ({ value, label }))]}
            value={draft?.get("socialnet_account_id:optional")?.[0] ?? ""}
          />
        )}
        <ScopeFields hasSenders={senders.size > 0} />
        <button type="submit" class="primary">
          Make the key
        </button>
      </Form>
    </Section>
  );
}

function ScopeFields({ hasSenders }: { hasSenders: boolean }) {
  const { draft } = usePageContext();
  const { id, failed, wrong } = useForm();
  const act = draft?.get("_again")?.[0];
  const chosen = CHOICES[act ?? ""]?.scopes;
  const ticked = chosen ?? failed?.typed.get(FIELD) ?? [];
  return (
    <fieldset class="field scope-fields" aria-describedby={wrong === "scopes" ? `${id}-fault` : undefined}>
      <legend>What it may do</legend>
      <p class="hint">Each stands for itself: who may change contacts may not read them by that.</p>
      <div class="bar">
        {Object.entries(CHOICES).map(([value, { say }]) => (
          <button
            key={value}
            type="submit"
            name="_again"
            value={value}
            formNoValidate
            autoFocus={act === value || undefined}
          >
            Tick: {say.toLowerCase()}
          </button>
        ))}
      </div>
      <input type="hidden" name={FIELD} value="" />
      {scopeGroups.map(({ group, name, scopes }) => (
        <fieldset key={group} class="field checks many">
          <legend>{name}</legend>
          {group === "network" && <NeedsAccount hasSenders={hasSenders} />}
          <div>
            {scopes.map((scope) => (
              <ScopeCheck key={scope} scope={scope} isTicked={ticked.includes(scope)} />
            ))}
          </div>
        </fieldset>
      ))}
    </fieldset>
  );
}

function ScopeCheck({ scope, isTicked }: { scope: Scope; isTicked: boolean }) {
  const { scopedCalls } = usePageContext();
  const { id, wrong } = useForm();
  return (
    <label>
      <input
        type="checkbox"
        id={`${id}-${scope}`}
        name={FIELD}
        value={scope}
        checked={isTicked}
        autoFocus={(wrong === "scopes" && scope === ALL_SCOPES[0]) || undefined}
      />
      <span>
        {wordsOf(scope)}
        <span class="hint">
          <code>{scope}</code> {protocolsOf(scopedCalls, scope)}
        </span>
      </span>
    </label>
  );
}

function NeedsAccount({ hasSenders }: { hasSenders: boolean }) {
  const { href, may } = usePageContext();
  if (!may("list_socialnet_accounts")) return null;
  return (
    <p class="hint">
      These are of use only to a key that acts for one account:{" "}
      {hasSenders ? (
        "choose it above."
      ) : (
        <>
          add that first, under <a href={href("/agents")}>Agents</a>.
        </>
      )}
    </p>
  );
}
