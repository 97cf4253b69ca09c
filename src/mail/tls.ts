import type { ConnectionOptions } from "node:tls";
import type { MailServer } from "./server.ts";

/**
 * Who a mail server must prove to be. On this machine a certificate that nobody signed will do, as Debian's packages
 * make one; anywhere else an authority of the system must vouch for it, or one in NODE_EXTRA_CA_CERTS.
 */
export function tlsOf({ local }: MailServer): ConnectionOptions {
  return { minVersion: "TLSv1.2", ...(local && { rejectUnauthorized: false }) };
}
