/** How far an account acts by itself: not at all, action by approved action, or whatever an approved sequence plans. */
export const AUTOMATION_MODES = ["off", "approve_each", "automatic"] as const;
export type AutomationMode = (typeof AUTOMATION_MODES)[number];

/** What an account may do in a day of its time zone, unless a person sets another limit. */
export const DEFAULT_DAILY_LIMITS = { connection_requests: 20, messages: 40 } as const;
