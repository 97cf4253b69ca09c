/** @jsxRuntime automatic @jsxImportSource preact */

import { usePageContext } from "../app/page-context.ts";

/** Where a mail server is connected, or who does it. */
export function ConnectEmail() {
  const { may, href } = usePageContext();
  if (!may("set_mail_settings")) return <>Ask a super admin or your server admin to connect a mail server.</>;
  return <a href={href("/settings/email")}>Connect a mail server</a>;
}
