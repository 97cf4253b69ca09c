import type { WorkspaceStatus } from "../app/sidebar.ts";

export interface ClosedSetting {
  purpose: string;
  setting: string;
}

/** The settings that keep sending off on this server, each after what it is for. Only the server admin can change them. */
export function closedSettings({ outbound_gate, socialnet_execution }: WorkspaceStatus["deployment"]): ClosedSetting[] {
  const isShut = outbound_gate === "closed";
  const isOff = socialnet_execution === "off";
  const byGate = isOff ? "For email and sequences, set" : "For email, sequences and social actions, set";
  const byExecution = isShut ? "For social actions, also set" : "For social actions, set";
  return [
    ...(isShut ? [{ purpose: byGate, setting: "ROSTRUM_OUTBOUND_GATE=open" }] : []),
    ...(isOff ? [{ purpose: byExecution, setting: "ROSTRUM_SOCIALNET_EXECUTION=on" }] : []),
  ];
}
