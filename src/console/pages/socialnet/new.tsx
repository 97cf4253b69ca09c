/** @jsxRuntime automatic @jsxImportSource preact */

import { memberNames } from "../../app/lookups.ts";
import { screen } from "../../app/screen.ts";
import { Select, TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { ServerCommand } from "../../ui/server-command.tsx";
import { MODES } from "./labels.ts";

export const newAgentAccount = screen({
  path: "/agents/new",
  title: "Add social account",
  needs: "create_socialnet_account",
  forms: ["create_socialnet_account"],
  load: async (ctx) => {
    const [members, { meta }] = await Promise.all([
      memberNames(ctx),
      ctx.call("list_socialnet_accounts", { limit: 1 }),
    ]);
    return { members, isSecond: meta.total === 1 };
  },
  view: ({ members, isSecond }) => (
    <>
      <p class="lead">
        Add the profile that an agent will send from. You don't need its password. You connect the agent in the next
        step.
      </p>
      {isSecond && (
        <p class="needs-note">
          Sequences with social steps send from your only social account. If you add a second one, your server admin
          must set the account of each of these sequences, and their audiences then need approval again. To set it, the
          server admin runs this command for each of these sequences:{" "}
          <ServerCommand words={'call update_sequence --input \'{"sequence_id": "…", "socialnet_account_id": "…"}\''} />
        </p>
      )}
      <Form does="create_socialnet_account" then="agents/{id}/connect" class="card narrow" label="Add social account">
        <TextField name="label" label="Name" hint="How your team recognizes it, such as Robin or Sales." required />
        <TextField
          name="profile_url"
          type="url"
          label="Profile URL"
          hint="The agent works only while this profile is signed in."
          placeholder="https://"
          required
        />
        <TextField
          name="time_zone"
          label="Time zone"
          hint="For sending hours and daily limits. Use an IANA name such as Europe/Berlin."
          value="UTC"
        />
        <Select
          name="automation_mode"
          label="Mode"
          hint={`${MODES.approve_each.name}: ${MODES.approve_each.detail} ${MODES.off.name}: ${MODES.off.detail} You can turn on automatic sending later.`}
          choices={(["approve_each", "off"] as const).map((value) => ({ value, label: MODES[value].name }))}
        />
        <Select
          name="owner_member_id"
          kind="nullable"
          label="Account holder"
          hint="The teammate whose profile this is. They sign in to the professional network in the browser that the agent opens."
          choices={[
            { value: "", label: "No account holder" },
            ...[...members].map(([value, label]) => ({ value, label })),
          ]}
        />
        <button type="submit" class="primary">
          Add account
        </button>
      </Form>
    </>
  ),
});
