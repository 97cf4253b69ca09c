/** @jsxRuntime automatic @jsxImportSource preact */
import { ALL_CHANNELS, CHANNELS, type Channel } from "../../../domain/channel.ts";
import { CONNECTION_STATES } from "../../../domain/connection.ts";
import type { DataOf } from "../../answers.ts";
import { inWords } from "../../names.ts";
import { Table } from "../../parts/basics.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, Select, TextField } from "../../parts/fields.tsx";
import { Status } from "../../parts/status.tsx";
import { screen } from "../../screen.ts";
import { SavedBy } from "./saved-by.tsx";
import { SettingsTabs } from "./tabs.tsx";

type Connection = DataOf<"get_voice">["social_connections"][number];

interface Row {
  channel: Channel;
  saved: Connection | undefined;
}

const states = CONNECTION_STATES.map((value) => ({ value, label: inWords(value) }));

export const connections = screen({
  path: "/settings/connections",
  title: "Connections",
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
        Where your account on each channel stands, as people say. Nothing here signs in anywhere: there is no place for
        a password or a token, and people publish on the channel itself.
      </p>
      <Table
        caption="Connections by channel"
        rows={rows}
        keyOf={({ channel }) => channel}
        columns={[
          { name: "Channel", cell: ({ channel }) => CHANNELS[channel] },
          {
            name: "State",
            cell: ({ saved }) =>
              saved === undefined ? <span class="quiet">not said</span> : <Status of={saved.state} />,
          },
          { name: "Name there", cell: ({ saved }) => saved?.handle },
          { name: "Saved", wide: true, cell: ({ saved }) => saved !== undefined && <SavedBy saved={saved} /> },
          ...(may("save_social_connection") ? [{ name: "Change", act: true, cell: Change }] : []),
        ]}
      />
    </>
  ),
});

function Change({ channel, saved }: Row) {
  return (
    <Confirm
      does="save_social_connection"
      id={`connection-${channel}`}
      opens={saved === undefined ? "Set…" : "Change…"}
      about={CHANNELS[channel]}
      submit={`Save ${CHANNELS[channel]}`}
      align="right"
    >
      <Hidden name="channel" value={channel} />
      <Select
        name="state"
        label="State"
        hint="Expired: somebody has to sign in again."
        choices={states}
        value={saved?.state ?? "connected"}
      />
      <TextField
        name="handle"
        label="Name there"
        hint="As everybody sees it. Never a password."
        value={saved?.handle}
      />
    </Confirm>
  );
}
