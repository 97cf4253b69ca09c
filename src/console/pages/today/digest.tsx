/** @jsxRuntime automatic @jsxImportSource preact */
import type { DataOf } from "../../answers.ts";
import { counted } from "../../figures.ts";
import { Empty, Section, Time } from "../../parts/basics.tsx";
import { useVisit } from "../../visit.ts";
import { isNews, toSentence, whereToRead } from "./news.ts";

/** So many kinds are told by name. */
const MOST = 12;

/** What happened meanwhile, by kind, and where it can be read. */
export function Digest({ digest: { since, first_visit, news } }: { digest: DataOf<"get_digest"> }) {
  const { href, may, titleOf } = useVisit();
  const worth = news.filter(isNews);
  const told = worth.slice(0, MOST);
  const rest = worth.length - told.length;
  return (
    <Section title={first_visit ? "In the last week" : "Since you were last here"}>
      {!first_visit && (
        <p class="hint lead">
          That was <Time at={since} />.
        </p>
      )}
      {told.length === 0 ? (
        <Empty title="Nothing has happened" />
      ) : (
        <ul class="tasks">
          {told.map((one) => (
            <li key={`${one.source} ${one.kind}`}>
              <a href={href(...whereToRead(one))}>{toSentence(one, titleOf(one.kind))}</a>
              <span class="quiet">
                <Time at={one.latest_at} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && (
        <p class="hint below">
          And {counted(rest, "other kind", "other kinds")} of things
          {may("list_audit") && (
            <>
              : <a href={href("/audit")}>all that people did is in the audit</a>
            </>
          )}
          .
        </p>
      )}
    </Section>
  );
}
