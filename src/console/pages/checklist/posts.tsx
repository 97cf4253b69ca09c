/** @jsxRuntime automatic @jsxImportSource preact */
import { POST_STATUSES } from "../../../domain/review.ts";
import { pageOf, statusInWords } from "../../names.ts";
import { Empty, Pager } from "../../parts/basics.tsx";
import { Choices } from "../../parts/choices.tsx";
import { screen } from "../../screen.ts";
import { HandedPost } from "./handed.tsx";
import { ChecklistTabs } from "./tabs.tsx";

export const posts = screen({
  path: "/checklist/posts",
  title: "Posts",
  needs: "list_posts",
  forms: ["mark_post"],
  async load(visit) {
    const asked = visit.query.get("status");
    const status = POST_STATUSES.find((known) => known === asked);
    return { status, ...(await visit.call("list_posts", { ...pageOf(visit), ...(status && { status }) })) };
  },
  view: ({ status, data, meta }) => (
    <>
      <ChecklistTabs />
      <Choices
        label="States of posts"
        name="status"
        choices={[
          { value: undefined, name: "All" },
          ...POST_STATUSES.map((value) => ({ value, name: statusInWords(value) })),
        ]}
      />
      {data.length === 0 ? (
        <Empty
          title={status === undefined ? "No post yet" : `No post is here as: ${statusInWords(status).toLowerCase()}`}
        >
          <p>
            Agents hand in drafts for items of the checklist. A person decides, publishes, and says here what became of
            them.
          </p>
        </Empty>
      ) : (
        <ul class="handedlist">
          {data.map((post) => (
            <li key={post.id}>
              <HandedPost post={post} ofItem />
            </li>
          ))}
        </ul>
      )}
      <Pager meta={meta} />
    </>
  ),
});
