/** @jsxRuntime automatic @jsxImportSource preact */

import { ALL_CHANNELS, CHANNELS, type Channel, CONNECTION_STATES } from "../../../domain/checklist/channel.ts";
import type { DataOf } from "../../app/operations.ts";
import { screen } from "../../app/screen.ts";
import { Empty, Table, Time } from "../../ui/basics.tsx";
import { Select, TextArea, TextField } from "../../ui/fields.tsx";
import { Confirm, Form, Hidden } from "../../ui/form.tsx";
import { codeLabel } from "../../ui/labels.ts";
import { Status } from "../../ui/status.tsx";
import { SettingsTabs } from "../access/tabs.tsx";

export const brandVoice = screen({
  path: "/settings/brand",
  title: "Brand voice",
  needs: "get_voice",
  forms: ["save_brand_voice"],
  load: async ({ call }) => (await call("get_voice", {})).data.brand_voice,
  view: (voice, { may }) => (
    <>
      <SettingsTabs />
      <p class="lead">How your drafts should sound. Agents read this before they write.</p>
      {may("save_brand_voice") ? (
        <Form does="save_brand_voice" class="card" label="Brand voice">
          <TextArea
            name="text"
            label="Guidelines"
            hint="Describe your audience, and words to use or avoid, with examples. Up to 8,000 characters."
            rows={12}
            value={voice?.text}
            required
          />
          <div class="bar">
            <button type="submit" class="primary">
              Save brand voice
            </button>
            <SavedBy saved={voice} />
          </div>
        </Form>
      ) : voice === null ? (
        <Empty title="No brand voice yet">
          <p>Ask an admin or a rep to add it.</p>
        </Empty>
      ) : (
        <div class="card stack">
          <p class="words">{voice.text}</p>
          <SavedBy saved={voice} />
        </div>
      )}
    </>
  ),
});

export const profileFacts = screen({
  path: "/settings/profile",
  title: "Profile facts",
  needs: "get_voice",
  forms: ["save_profile_facts"],
  load: async ({ call }) => (await call("get_voice", {})).data.profile_facts,
  view: (saved, { may }) => (
    <>
      <SettingsTabs />
      <p class="lead">
        Verified facts about your company. Agents are told to make no claims beyond this list. Rostrum doesn't check
        drafts, so check claims when you review.
      </p>
      {may("save_profile_facts") ? (
        <Form does="save_profile_facts" class="card" label="Profile facts">
          <TextArea
            name="facts"
            kind="entries"
            label="Facts"
            hint="One public fact per line. Up to 100 facts of 500 characters each."
            rows={12}
            value={saved?.facts.join("\n")}
          />
          <div class="bar">
            <button type="submit" class="primary">
              Save facts
            </button>
            <SavedBy saved={saved} />
          </div>
        </Form>
      ) : saved === null || saved.facts.length === 0 ? (
        <Empty title="No facts yet">
          <p>Until you have facts, agents are told to make no claims. Ask an admin or a rep to add facts.</p>
        </Empty>
      ) : (
        <div class="card stack">
          <ul class="bullets">
            {saved.facts.map((fact) => (
              <li key={fact}>{fact}</li>
            ))}
          </ul>
          <SavedBy saved={saved} />
        </div>
      )}
    </>
  ),
});

type Connection = DataOf<"get_voice">["social_connections"][number];

interface Row {
  channel: Channel;
  saved: Connection | undefined;
}

const states = CONNECTION_STATES.map((value) => ({ value, label: codeLabel(value) }));

export const connections = screen({
  path: "/settings/connections",
  title: "Channels",
  needs: "get_voice",
  forms: ["save_social_connection"],
  async load({ call }) {
    const { social_connections: saved } = (await call("get_voice", {})).data;
    return ALL_CHANNELS.map((channel): Row => ({ channel, saved: saved.find((one) => one.channel === channel) }));
  },
  view: (rows, { may }) => (
    <>
      <SettingsTabs />
      <p class="lead">
        Track the status of your account on each channel. Rostrum can't check this, so record what you see on the
        channel. You publish on the channel itself. In checklist items, active channels are those set to Connected here.
      </p>
      <Table
        caption="Channels"
        rows={rows}
        keyOf={({ channel }) => channel}
        columns={[
          {
            name: "Channel",
            cell: ({ channel }) => (
              <>
                {CHANNELS[channel]}
                {channel === "socialnet" && (
                  <span class="hint beneath">The network where you reach your contacts, such as LinkedIn</span>
                )}
              </>
            ),
          },
          {
            name: "Status",
            phone: "end",
            cell: ({ saved }) =>
              saved === undefined ? <span class="quiet">Not set</span> : <Status of={saved.state} />,
          },
          { name: "Handle", cell: ({ saved }) => saved?.handle },
          { name: "Saved", wide: true, cell: ({ saved }) => saved !== undefined && <Saved {...saved} /> },
          ...(may("save_social_connection") ? [{ name: "Actions", act: true, cell: EditConnection }] : []),
        ]}
      />
    </>
  ),
});

/** The same in a column of that name. */
function Saved({ saved_by, saved_at }: { saved_by: string; saved_at: string }) {
  return (
    <>
      {saved_by}
      <p class="hint">
        <Time at={saved_at} />
      </p>
    </>
  );
}

/** Who saved the shown version, and when. */
function SavedBy({ saved }: { saved: { saved_by: string; saved_at: string } | null }) {
  if (saved === null) return <p class="quiet small">Not saved yet</p>;
  return (
    <p class="quiet small">
      Saved by {saved.saved_by}, <Time at={saved.saved_at} />
    </p>
  );
}

function EditConnection({ channel, saved }: Row) {
  return (
    <Confirm
      does="save_social_connection"
      id={`connection-${channel}`}
      opens={saved === undefined ? "Set up…" : "Edit…"}
      about={CHANNELS[channel]}
      submit={`Save ${CHANNELS[channel]}`}
      align="right"
    >
      <Hidden name="channel" value={channel} />
      <Select
        name="state"
        label="Status"
        hint="Connected: your team is signed in. Expired: a teammate must sign in again. Disconnected: your team lost access."
        choices={states}
        value={saved?.state ?? "connected"}
      />
      <TextField
        name="handle"
        label="Handle"
        hint="The public name of the account. Never enter a password."
        value={saved?.handle}
      />
    </Confirm>
  );
}
