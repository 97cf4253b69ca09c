/** @jsxRuntime automatic @jsxImportSource preact */

import { actorNames } from "../../app/lookups.ts";
import { screen } from "../../app/screen.ts";
import { Select, TextField } from "../../ui/fields.tsx";
import { Form } from "../../ui/form.tsx";
import { MODES } from "./labels.ts";

export const newAgentAccount = screen({
  path: "/agents/new",
  title: "Add a social account",
  needs: "create_socialnet_account",
  forms: ["create_socialnet_account"],
  load: actorNames,
  view: (members) => (
    <>
      <p class="lead">
        Nothing is connected by this, and no password is asked for: it says whose account an agent will act for. Until
        you say otherwise a person approves each action, and the limits are cautious.
      </p>
      <Form does="create_socialnet_account" then="agents/{id}/connect" class="card narrow" label="Add a social account">
        <TextField name="label" label="Name" hint="What the team calls it: Robin, or Sales." required />
        <TextField
          name="profile_url"
          type="url"
          label="Address of its own profile"
          hint="The agent acts only while this profile is the one that is signed in."
          placeholder="https://"
          required
        />
        <TextField
          name="time_zone"
          label="Time zone"
          hint="By its IANA name, as Europe/Berlin: its days and hours go by it."
          value="UTC"
        />
        <Select
          name="automation_mode"
          label="Mode"
          hint={`${MODES.approve_each.say} It can be made automatic later.`}
          choices={(["approve_each", "off"] as const).map((value) => ({ value, label: MODES[value].name }))}
        />
        <Select
          name="owner_member_id"
          kind="nullable"
          label="Owner"
          hint="Whoever signs in on the social network when the agent asks for it."
          choices={[
            { value: "", label: "Nobody in particular" },
            ...[...members].map(([value, label]) => ({ value, label })),
          ]}
        />
        <button type="submit" class="primary">
          Add the account
        </button>
      </Form>
    </>
  ),
});
