/** Every reason of a 409 of the socialnet operations, in the order in which they are looked at, and what it tells. */
export const REASONS = {
  execution_not_activated: "Whoever runs the server has not set `ROSTRUM_SOCIALNET_EXECUTION=on`.",
  unbound_agent: "The key is bound to no account. `setup` alone answers it.",
  profile_mismatch: "The profile is not that of the key's account: somebody else is signed in.",
  held: "A person holds the action, or a reply set it aside.",
  cancelled: "The action is over: cancelled by a person, an opt-out, the archive, or a reply.",
  already_claimed: "Another lease of the action is running.",
  stale_claim: "The token is not that of a running lease. Execute nothing; claim anew.",
  not_started: "A result of a claim that was never started.",
  already_started: "The action was started before, with this token or another. Execute nothing.",
  conflicting_result: "Another outcome was reported for this start, or a person has settled it.",
  not_approved: "Nobody approved the action as it reads now, or the recipient's profile changed since.",
  session_not_ready: "The last heartbeat did not say `ready`, or there was none yet.",
  account_held: "A login, a captcha or a limit holds the account, or the workspace's outreach is paused.",
  automation_off: "The account's mode is `off`. Of the engine's actions alone.",
  outside_window: "The account's windows are shut. Of the engine's actions alone.",
  daily_limit: "Today's starts of this kind are used up.",
  plan_quota: "The plan's starts of this month are used up.",
} as const;
export type Reason = keyof typeof REASONS;
