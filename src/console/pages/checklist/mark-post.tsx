/** @jsxRuntime automatic @jsxImportSource preact */
import { CHANNELS } from "../../../domain/channel.ts";
import type { DataOf } from "../../answers.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Hidden, Select, TextField } from "../../parts/fields.tsx";
import { CHANNEL_CHOICES } from "./items.ts";

type Post = Pick<DataOf<"list_posts">[number], "id" | "platform">;

/** What became of an approved post, by a person's word. */
export function MarkPost({ post: { id, platform } }: { post: Post }) {
  const own = platform === null ? "None said" : `As it says: ${CHANNELS[platform]}`;
  return (
    <div class="bar-inline">
      <Confirm does="mark_post" id={`published-${id}`} opens="It was published…" submit="Record that it was published">
        <Hidden name="post_id" value={id} />
        <Hidden name="status" value="published" />
        <Select name="platform" kind="optional" label="On" choices={[{ value: "", label: own }, ...CHANNEL_CHOICES]} />
        <TextField
          name="published_at"
          kind="moment"
          type="datetime-local"
          label="At, in UTC"
          hint="Left empty, it is now."
        />
        <TextField
          name="url"
          kind="optional"
          type="url"
          label="Address"
          hint="Where it can be read; may be left out."
        />
      </Confirm>
      <Confirm does="mark_post" id={`cancelled-${id}`} opens="Cancel it…" submit="Cancel the post" danger>
        <Hidden name="post_id" value={id} />
        <Hidden name="status" value="cancelled" />
        <p>It is not to be published any more. It stays in the list as cancelled.</p>
      </Confirm>
    </div>
  );
}
