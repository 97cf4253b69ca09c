import { getDailyNumbers } from "./get-daily-numbers.ts";
import { getDigest } from "./get-digest.ts";
import { listAgentWork } from "./list-agent-work.ts";
import { listAudit } from "./list-audit.ts";
import { listAuthEvents } from "./list-auth-events.ts";

/** What happened: the digest, the configuration audit, agent activity and sign-ins. */
export const reportsOperations = [getDigest, getDailyNumbers, listAudit, listAgentWork, listAuthEvents] as const;
