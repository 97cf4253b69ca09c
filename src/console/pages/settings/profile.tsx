/** @jsxRuntime automatic @jsxImportSource preact */
import { Empty } from "../../parts/basics.tsx";
import { TextArea } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { screen } from "../../screen.ts";
import { SavedBy } from "./saved-by.tsx";
import { SettingsTabs } from "./tabs.tsx";

export const profileFacts = screen({
  path: "/settings/profile",
  title: "Profile facts",
  needs: "get_voice",
  forms: ["save_profile_facts"],
  load: async ({ call }) => (await call("get_voice", {})).data.profile_facts,
  view: (saved, { may }) => (
    <>
      <SettingsTabs />
      <p class="lead">The only claims that a draft may make: true, and checked by a person.</p>
      {may("save_profile_facts") ? (
        <Form does="save_profile_facts" class="card" label="Profile facts">
          <TextArea
            name="facts"
            kind="entries"
            label="Facts"
            hint="One a line, as it may be said in public. At most 100, of 500 characters each; empty is none."
            rows={12}
            value={saved?.facts.join("\n")}
          />
          <div class="bar">
            <button type="submit" class="primary">
              Save the facts
            </button>
            <SavedBy saved={saved} />
          </div>
        </Form>
      ) : saved === null || saved.facts.length === 0 ? (
        <Empty title="No fact is saved">
          <p>A rep or an administrator writes them here. Without one, drafts claim nothing.</p>
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
