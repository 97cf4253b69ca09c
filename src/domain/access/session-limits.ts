import { DAY_MS, MINUTE_MS } from "../../lib/time.ts";

// How long the sessions and links of people last, in milliseconds.

/** A member's session ends this long after it was last used: 7 days. */
export const SESSION_IDLE_MS = 7 * DAY_MS;
/** A member's session ends this long after sign-in, however much it is used: 30 days. */
export const SESSION_MAX_MS = 30 * DAY_MS;
/** A session's last use is stored at most this often, so that reading pages does not keep the disk busy: 5 minutes. */
export const LAST_USE_PRECISION_MS = 5 * MINUTE_MS;

/** A member who opens no page for this long has been away; their next visit lists what happened since: 30 minutes. */
export const AWAY_AFTER_MS = 30 * MINUTE_MS;

/** The link that creates the server's owner: 30 minutes. */
export const SETUP_LINK_MS = 30 * MINUTE_MS;
/** The link of a demo server: 1 day. */
export const DEMO_LINK_MS = DAY_MS;
/** The link that sets a new password: 30 minutes. */
export const RESET_LINK_MS = 30 * MINUTE_MS;
/** The link that a new member joins by: 7 days. */
export const INVITATION_LINK_MS = 7 * DAY_MS;

/** Passwords are judged by length alone, in characters. The maximum bounds the cost of hashing. */
export const PASSWORD_LENGTH = { min: 12, max: 200 };
