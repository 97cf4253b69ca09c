import type { WorkspaceStatus } from "../app/sidebar.ts";

/** What the agent waits for before it can send an approved action, as it stands after "once". Null: it can send now. */
export function sendingWaitsFor({ deployment, outreach }: WorkspaceStatus): string | null {
  if (closedSettings(deployment).length > 0) return "social sending is on";
  return outreach.paused_at === null ? null : "outreach is resumed";
}

/** The settings that keep sending off on this server, each after what it is for. Only the server admin can change them. */
export function closedSettings({
  outbound_gate,
  socialnet_execution,
}: WorkspaceStatus["deployment"]): { purpose: string; setting: string }[] {
  const isShut = outbound_gate === "closed";
  const isOff = socialnet_execution === "off";
  const byGate = isOff ? "For email and sequences, set" : "For email, sequences and social actions, set";
  const byExecution = isShut ? "For social actions, also set" : "For social actions, set";
  return [
    ...(isShut ? [{ purpose: byGate, setting: "ROSTRUM_OUTBOUND_GATE=open" }] : []),
    ...(isOff ? [{ purpose: byExecution, setting: "ROSTRUM_SOCIALNET_EXECUTION=on" }] : []),
  ];
}
