import type { Clock, Deployment } from "../context.ts";
import { mailPostponement, putOffMail } from "../rules/put-off-mail.ts";
import type { Store } from "../store/store.ts";
import type { AsSystem } from "../system.ts";

/** Written together. */
const TOGETHER = 1_000;

/** What keeps back all e-mail of a workspace is written to many enrollments at once, and each of them once. */
export async function putOffDue(
  { store, clock, deployment, asSystem }: { store: Store; clock: Clock; deployment: Deployment; asSystem: AsSystem },
  { workspaceId, sequenceId }: { workspaceId: string; sequenceId: string },
  restsUntil: number | null,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { postponed } = await mailPostponement(
    { store: store.read(workspaceId), now: clock.now(), deployment },
    restsUntil,
  );
  let put = postponed === null ? 0 : TOGETHER;
  while (put === TOGETHER && !signal?.aborted) {
    put = await asSystem(workspaceId, "put_off", (ctx) => putOffMail(ctx, sequenceId, restsUntil, TOGETHER));
  }
}
