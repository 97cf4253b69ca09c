/** No connection or no valid answer, the deadline passed, or the server's certificate or TLS was not accepted. */
export type CallFailure = "connection_refused" | "timeout" | "tls_error";

interface CallErrorDetails {
  /** True if no byte of the request was sent, so the server cannot have acted on it. */
  beforeSent: boolean;
  refusedAddress?: boolean;
  code?: string | undefined;
}

/**
 * Thrown when a call gets no answer. Only `reason` may be shown to the person or client that supplied the address: the
 * resolved addresses, and whether one was refused, would reveal the network behind this server.
 */
export class CallError extends Error {
  readonly reason: CallFailure;
  readonly beforeSent: boolean;
  /** For logs only: the address, or one that the name resolved to, is not allowed. */
  readonly refusedAddress: boolean;
  /** For logs only: the system or TLS error code, such as ENOTFOUND. */
  readonly code: string | undefined;

  constructor(reason: CallFailure, { beforeSent, refusedAddress = false, code }: CallErrorDetails) {
    super(`The call failed: ${reason}.`);
    this.name = "CallError";
    this.reason = reason;
    this.beforeSent = beforeSent;
    this.refusedAddress = refusedAddress;
    this.code = code;
  }
}

/** Thrown while connecting, when an address is not allowed. */
export class RefusedAddressError extends Error {}

/** Codes of OpenSSL and of Node's certificate check. */
const TLS_CODE =
  /^(?:ERR_(?:TLS|SSL|OSSL)_|EPROTO$|(?:CERT|CRL|UNABLE|ERROR_IN|DEPTH_ZERO|SELF_SIGNED|INVALID|PATH_LENGTH|HOSTNAME|UNSPECIFIED)(?:_|$))/;
const TIMEOUT_CODES = ["ETIMEDOUT", "ETIMEOUT", "UND_ERR_CONNECT_TIMEOUT", "ERR_SOCKET_CONNECTION_TIMEOUT"];

/** Maps an error of the resolver, the socket, TLS or undici to a CallError. */
export function toCallError(error: Error, beforeSent: boolean): CallError {
  const { code } = error as NodeJS.ErrnoException;
  const refusedAddress = error instanceof RefusedAddressError;
  const details = { beforeSent, refusedAddress, code };
  if (code !== undefined && TIMEOUT_CODES.includes(code)) return new CallError("timeout", details);
  return new CallError(code !== undefined && TLS_CODE.test(code) ? "tls_error" : "connection_refused", details);
}
