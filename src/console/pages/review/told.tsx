/** @jsxRuntime automatic @jsxImportSource preact */
import { DECIDED_BY, isDeciding } from "../../../domain/review.ts";
import { saidInWords } from "../../parts/said.ts";
import { useVisit, type Visit } from "../../visit.ts";
import { pathOf, type Whole } from "./load.ts";
import { becameInWords, headingOf, statusOf, thenInWords } from "./words.ts";

/** What a form of this room has just decided on, read anew: the browser keeps no more of it than its id. */
export async function readTold({ call, told }: Visit): Promise<Whole | undefined> {
  if (told === undefined || !isDeciding(told.operation)) return undefined;
  const asked = { kind: DECIDED_BY[told.operation], id: told.id };
  return call("get_review", asked).then(
    ({ data }) => data,
    () => undefined,
  );
}

/** What was decided, and how: it stands above the next thing, and is not about that one. */
export function Told({ whole, last }: { whole: Whole | undefined; last: boolean }) {
  const { href, told } = useVisit();
  if (told === undefined) return null;
  const focus = last ? { tabIndex: -1, autoFocus: true } : {};
  if (whole === undefined) {
    return (
      <p class="said" role="status" id="told" {...focus}>
        {saidInWords(told.operation)}
      </p>
    );
  }
  const status = statusOf(whole);
  return (
    <p class="said" role="status" id="told" {...focus}>
      <strong>{headingOf(whole)}</strong>: {becameInWords(whole.kind, status)}
      {thenInWords(whole.kind, status)}. <a href={href(pathOf(whole))}>Look at it</a>
    </p>
  );
}
