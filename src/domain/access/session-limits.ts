import { DAY_MS, MINUTE_MS } from "../../lib/time.ts";

/** How long people's links and sessions last. */
export const SETUP_MS = 30 * MINUTE_MS;
export const RESET_MS = 30 * MINUTE_MS;
export const DEMO_MS = DAY_MS;
export const INVITATION_MS = 7 * DAY_MS;

/** A session ends so long after it was last used, and so long after it began however much it is used. */
export const SESSION_IDLE_MS = 7 * DAY_MS;
export const SESSION_MS = 30 * DAY_MS;
/** A session's last use is known to five minutes: to write each page down would keep the disk busy for nothing. */
export const SEEN_AGAIN_MS = 5 * MINUTE_MS;

/** Whoever has not looked for so long has been away: what happened since is told. */
export const AWAY_MS = 30 * MINUTE_MS;

/** A password is judged by its length alone; the bound keeps the hashing of it short. */
export const PASSWORD_LENGTH = { min: 12, max: 200 };
