/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../app/page-context.ts";
import { type ClosedSetting, closedSettings } from "./closed-settings.ts";
import { ServerCommand } from "./server-command.tsx";

/** Where the settings that turn on sending are explained, or who can change them. */
function HowToTurnOn() {
  const { may, href } = usePageContext();
  if (!may("get_server")) return <>Only your server admin can turn it on.</>;
  return <a href={href("/settings/server#sending")}>How to turn it on</a>;
}

/** On a server that sends nothing on the professional network. */
export function SocialSendingOff() {
  const { workspace } = usePageContext();
  if (closedSettings(workspace.deployment).length === 0) return null;
  return (
    <>
      Social sending is off on this server. <HowToTurnOn />
    </>
  );
}

/** The settings to restart the server with, and the command that does it. */
export function SettingsToSend({ closed }: { closed: readonly ClosedSetting[] }) {
  return (
    <>
      <ul class="bullets">
        {closed.map(({ purpose, setting }) => (
          <li key={setting}>
            {purpose} <code>{setting}</code>.
          </li>
        ))}
      </ul>
      <p class="hint">
        Example: <ServerCommand words="start" settings={closed.map(({ setting }) => setting)} />
      </p>
    </>
  );
}
