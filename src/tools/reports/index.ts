import { countInProgress } from "./count-in-progress.ts";
import { getDailyNumbers } from "./get-daily-numbers.ts";
import { getDigest } from "./get-digest.ts";
import { listAgentWork } from "./list-agent-work.ts";
import { listAudit } from "./list-audit.ts";
import { listAuthEvents } from "./list-auth-events.ts";
import { listUpcoming } from "./list-upcoming.ts";

/** What happened and what comes next: the digest, the audit log, agent activity, sign-ins and the schedule. */
export const reportsOperations = [
  getDigest,
  getDailyNumbers,
  countInProgress,
  listUpcoming,
  listAudit,
  listAgentWork,
  listAuthEvents,
] as const;
