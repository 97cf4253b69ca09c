/** @jsxRuntime automatic @jsxImportSource preact */
import { useVisit } from "../visit.ts";
import { exactly, lasting } from "./time.ts";

/** For how long something stands so, and on hover since when exactly. */
export function Since({ at }: { at: string }) {
  const { now } = useVisit();
  return (
    <time dateTime={at} title={exactly(at)}>
      {lasting(Date.parse(at), now)}
    </time>
  );
}
