import { isIP, type Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { buildConnector } from "undici";
import { isReachable, type Reach } from "./address.ts";
import { RefusedAddress } from "./call-error.ts";

/** Resolves a name to all of its addresses. */
export type Lookup = (name: string) => Promise<readonly { address: string }[]>;

interface ConnectorOptions extends Reach {
  lookup: Lookup;
  /** How long opening a connection may take, in ms. */
  timeoutMs: number;
  ca?: NonNullable<ConnectionOptions["ca"]> | undefined;
}

/** A distant server needs more than Node's 250 ms before the next of its addresses is tried. */
const PER_ADDRESS_MS = 1_000;

/**
 * Opens connections to addresses that have been checked, and to no others: the name is resolved here, refused if any
 * of its addresses is, and what was checked is what is connected to. Each connection resolves anew, so a name that
 * moves to a private address after it was accepted gains nothing.
 */
export function guardedConnector({ lookup, allowPrivate, timeoutMs, ca }: ConnectorOptions): buildConnector.connector {
  const reach = { allowPrivate };
  const resolve = async (name: string) => {
    const found = await lookup(name);
    if (found.length === 0) throw new Error("The name has no address.");
    if (!found.every(({ address }) => isReachable(address, reach))) throw new RefusedAddress();
    return found.map(({ address }) => ({ address, family: isIP(address) }));
  };
  const open = buildConnector({
    ...(ca === undefined ? {} : { ca }),
    // Said outright, because NODE_TLS_REJECT_UNAUTHORIZED would otherwise switch it off.
    rejectUnauthorized: true,
    timeout: timeoutMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: PER_ADDRESS_MS,
    lookup: (name, _options, callback) => {
      resolve(name).then(
        (addresses) => callback(null, addresses),
        (error) => callback(error, []),
      );
    },
  });

  return (options, callback) => {
    const { hostname } = options;
    // Node looks no literal up.
    if (isIP(hostname) !== 0 && !isReachable(hostname, reach)) {
      queueMicrotask(() => callback(new RefusedAddress(), null));
      return;
    }
    const opening = open(options, callback) as unknown as Socket;
    // The call holds the process to its deadline; what it gave up while it was opening must not.
    opening.on("connectionAttempt", () => opening.unref());
  };
}
