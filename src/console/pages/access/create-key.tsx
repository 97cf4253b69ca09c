/** @jsxRuntime automatic @jsxImportSource preact */

import { ALL_SCOPES, type Scope } from "../../../domain/access/roles.ts";
import { usePageContext } from "../../app/page-context.ts";
import { protocolsOf } from "../../app/scope-map.ts";
import { Select, TextField } from "../../ui/fields.tsx";
import { EnterButton, Form, useForm } from "../../ui/form.tsx";
import { isReading, scopeGroups, scopeLabel } from "./scopes.tsx";

const FIELD = "scopes:list";

/** The buttons that select several scopes at once. */
const CHOICES: Record<string, { label: string; scopes: readonly string[] }> = {
  all: { label: "Select all", scopes: ALL_SCOPES },
  read: { label: "Select read-only", scopes: ALL_SCOPES.filter(isReading) },
  none: { label: "Clear all", scopes: [] },
};

/** What the permissions of the professional network are without an account. Such a key can still receive events. */
export const WITHOUT_ACCOUNT =
  "Without a social account, the key can't read or send actions on the professional network. A key's social account can't be changed later.";

interface Props {
  /** The labels of the workspace's accounts on the professional network, by id. */
  senders: ReadonlyMap<string, string>;
  /** Whether the form is shown without a click. */
  open: boolean;
}

export function CreateKey({ senders, open }: Props) {
  const { draft, failed } = usePageContext();
  return (
    <details class="past" open={open || draft !== undefined || failed?.form === "create_key"}>
      <summary>
        <h2>Create API key</h2>
      </summary>
      {/* A link to this opens the details around it. */}
      <div id="create">
        <Form does="create_key" class="card" label="Create API key">
          <EnterButton>Create this key</EnterButton>
          <div class="pair">
            <TextField
              name="name"
              label="Name"
              hint="For example, the name of the agent."
              value={draft?.get("name")?.[0]}
              required
            />
            <TextField
              name="expires_in_days"
              kind="number"
              type="number"
              label="Expires after (days)"
              hint="Leave blank for no expiry."
              value={draft?.get("expires_in_days:number")?.[0]}
            />
          </div>
          {senders.size > 0 && (
            <Select
              name="socialnet_account_id"
              kind="optional"
              label="Social account"
              hint={`On the professional network, the key works for this account only. ${WITHOUT_ACCOUNT}`}
              choices={[
                { value: "", label: "No account" },
                ...[...senders].map(([value, label]) => ({ value, label })),
              ]}
              value={draft?.get("socialnet_account_id:optional")?.[0] ?? ""}
            />
          )}
          <ScopeFields hasSenders={senders.size > 0} />
          <button type="submit" class="primary">
            Create key
          </button>
        </Form>
      </div>
    </details>
  );
}

function ScopeFields({ hasSenders }: { hasSenders: boolean }) {
  const { draft } = usePageContext();
  const { id, failed, wrong } = useForm();
  const act = draft?.get("_again")?.[0];
  const chosen = CHOICES[act ?? ""]?.scopes;
  const selected = chosen ?? failed?.typed.get(FIELD) ?? [];
  return (
    <fieldset class="field scope-fields" aria-describedby={wrong === "scopes" ? `${id}-fault` : undefined}>
      <legend>Permissions</legend>
      <p class="hint">Each permission is separate. Permission to change contacts doesn't include reading them.</p>
      <div class="bar">
        {Object.entries(CHOICES).map(([value, { label }]) => (
          <button
            key={value}
            type="submit"
            name="_again"
            value={value}
            formNoValidate
            autoFocus={act === value || undefined}
          >
            {label}
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
              <ScopeCheck key={scope} scope={scope} isSelected={selected.includes(scope)} />
            ))}
          </div>
        </fieldset>
      ))}
    </fieldset>
  );
}

function ScopeCheck({ scope, isSelected }: { scope: Scope; isSelected: boolean }) {
  const { scopedCalls } = usePageContext();
  const { id, wrong } = useForm();
  return (
    <label>
      <input
        type="checkbox"
        id={`${id}-${scope}`}
        name={FIELD}
        value={scope}
        checked={isSelected}
        autoFocus={(wrong === "scopes" && scope === ALL_SCOPES[0]) || undefined}
      />
      <span>
        {scopeLabel(scope)}
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
      {hasSenders ? (
        "These permissions need the social account above."
      ) : (
        <>
          {WITHOUT_ACCOUNT} First add an account under <a href={href("/agents")}>Agents</a>.
        </>
      )}
    </p>
  );
}
