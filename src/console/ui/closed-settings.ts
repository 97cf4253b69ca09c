import type { WorkspaceStatus } from "../app/sidebar.ts";

/** The settings that keep sending off on this server, each with what it turns on. Only the server admin can change them. */
export function closedSettings({
  outbound_gate,
  socialnet_execution,
}: WorkspaceStatus["deployment"]): { opens: string; setting: string }[] {
  return [
    ...(outbound_gate === "closed"
      ? [{ opens: "Email, sequences and social actions", setting: "ROSTRUM_OUTBOUND_GATE=open" }]
      : []),
    ...(socialnet_execution === "off" ? [{ opens: "Social actions", setting: "ROSTRUM_SOCIALNET_EXECUTION=on" }] : []),
  ];
}
