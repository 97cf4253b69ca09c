/** How the command is written where it was installed, for advice that can be pasted. */
export const COMMAND = import.meta.url.endsWith(".ts") ? "npx tsx bin/rostrum.ts" : "npx rostrum";
