/** @jsxRuntime automatic @jsxImportSource preact */
import { Empty } from "../../parts/basics.tsx";
import { TextArea } from "../../parts/fields.tsx";
import { Form } from "../../parts/form.tsx";
import { screen } from "../../screen.ts";
import { SavedBy } from "./saved-by.tsx";
import { SettingsTabs } from "./tabs.tsx";

export const brandVoice = screen({
  path: "/settings/brand",
  title: "Brand voice",
  needs: "get_voice",
  forms: ["save_brand_voice"],
  load: async ({ call }) => (await call("get_voice", {})).data.brand_voice,
  view: (voice, { may }) => (
    <>
      <SettingsTabs />
      <p class="lead">How drafts should sound, and how not. Agents read it before they write.</p>
      {may("save_brand_voice") ? (
        <Form does="save_brand_voice" class="card" label="Brand voice">
          <TextArea
            name="text"
            label="How you sound"
            hint="Words you use and words you avoid, an example of each, whom you address. At most 8,000 characters."
            rows={12}
            value={voice?.text}
            required
          />
          <div class="bar">
            <button type="submit" class="primary">
              Save the brand voice
            </button>
            <SavedBy saved={voice} />
          </div>
        </Form>
      ) : voice === null ? (
        <Empty title="No brand voice is saved">
          <p>A rep or an administrator writes it here.</p>
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
