/** @jsxRuntime automatic @jsxImportSource preact */

import { memberNames } from "../../app/lookups.ts";
import { screen } from "../../app/screen.ts";
import { Select, TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { MODES } from "./labels.ts";

export const newAgentAccount = screen({
  path: "/agents/new",
  title: "Add social account",
  needs: "create_socialnet_account",
  forms: ["create_socialnet_account"],
  load: memberNames,
  view: (members) => (
    <>
      <p class="lead">
        Add the profile that an agent will send from. You don't need its password. You connect the agent in the next
        step.
      </p>
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
