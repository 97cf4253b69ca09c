/** Ends what was still to be sent; which deliveries follows. */
export const DROP =
  "UPDATE deliveries SET status = 'dropped', finished_at = @now, next_attempt_at = NULL, lease = NULL WHERE status = 'pending' AND";

/** Whether a subscription `s`, whose key is `k`, may hear of anything now. */
export const HAS_ACCESS = `s.ended_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > @now)
  AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > @now)`;
