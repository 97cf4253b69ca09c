/** @jsxRuntime automatic @jsxImportSource preact */
import { Chip, Empty, Section } from "../../parts/basics.tsx";
import { screen } from "../../screen.ts";
import { useVisit } from "../../visit.ts";
import { Digest } from "./digest.tsx";
import { inOrder, type Task, type Watch } from "./watch.ts";
import { WATCHES } from "./watches.ts";

export const today = screen({
  path: "/",
  title: "Today",
  needs: "get_workspace",
  async load(visit) {
    const found = async (block: Watch["block"]) => {
      const mine = WATCHES.filter((watch) => watch.block === block && visit.may(watch.needs));
      return inOrder((await Promise.all(mine.map((watch) => watch.find(visit)))).flat());
    };
    const [needsYou, goingOn, digest] = await Promise.all([
      found("needs_you"),
      found("going_on"),
      visit.call("get_digest", {}),
    ]);
    return { needsYou, goingOn, digest: digest.data };
  },
  view: ({ needsYou, goingOn, digest }, { href, may }) => (
    <div data-refresh="today">
      <Section title="Needs you">
        {needsYou.length === 0 ? <Empty title="Nothing waits for you" /> : <Tasks tasks={needsYou} />}
      </Section>
      <Section title="Going on">
        {goingOn.length === 0 ? (
          <Empty title="Nothing is under way">
            {may("list_keys") && (
              <p>
                Agents come in with a key: <a href={href("/settings/keys")}>make one</a>.
              </p>
            )}
          </Empty>
        ) : (
          <Tasks tasks={goingOn} />
        )}
      </Section>
      <Digest digest={digest} />
    </div>
  ),
});

function Tasks({ tasks }: { tasks: readonly Task[] }) {
  const { href } = useVisit();
  return (
    <ul class="tasks">
      {tasks.map(({ say, tone, word, to, query }) => (
        <li key={`${to} ${say}`}>
          <a href={href(to, query)}>{say}</a>
          {word !== undefined && <Chip tone={tone}>{word}</Chip>}
        </li>
      ))}
    </ul>
  );
}
