/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../app/page-context.ts";
import { closedSettings } from "./closed-settings.ts";

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
