/** @jsxRuntime automatic @jsxImportSource preact */
import { Facts, Time } from "../../parts/basics.tsx";
import { screen } from "../../screen.ts";
import { PlanAndBilling } from "./plan.tsx";
import { Sending } from "./sending.tsx";
import { SettingsTabs } from "./tabs.tsx";

export const workspaceSettings = screen({
  path: "/settings/workspace",
  title: "Workspace",
  needs: "get_workspace",
  forms: ["set_plan", "set_billing", "set_sending_policy"],
  load: async () => undefined,
  view: (_, { workspace: { id, name, created_at } }) => (
    <>
      <SettingsTabs />
      <Facts
        facts={[
          ["Name", name],
          ["Founded", <Time at={created_at} />],
        ]}
      />
      <Sending />
      <section class="stack">
        <PlanAndBilling />
        <p class="hint">
          Its id, for the command line: <code>{id}</code>
        </p>
      </section>
    </>
  ),
});
