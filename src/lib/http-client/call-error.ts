/** Nobody answered, the answer took too long, or the other side could not prove who it is. */
export type CallFailure = "connection_refused" | "timeout" | "tls_error";

interface CallDetail {
  /** Nothing of the request had left: the other side cannot have acted on it. */
  beforeSent: boolean;
  refusedAddress?: boolean;
  code?: string | undefined;
}

/**
 * Why a call brought no answer. The reason alone may be told to whoever supplied the address: what a name resolved
 * to, and whether that was refused, would map the network behind this server for them.
 */
export class CallError extends Error {
  readonly reason: CallFailure;
  readonly beforeSent: boolean;
  /** For the log alone: the address, or one that the name resolved to, is not one to connect to. */
  readonly refusedAddress: boolean;
  /** For the log alone: the code of the system or of TLS, such as ENOTFOUND. */
  readonly code: string | undefined;

  constructor(reason: CallFailure, { beforeSent, refusedAddress = false, code }: CallDetail) {
    super(`The call failed: ${reason}.`);
    this.name = "CallError";
    this.reason = reason;
    this.beforeSent = beforeSent;
    this.refusedAddress = refusedAddress;
    this.code = code;
  }
}

/** What the connector fails with where an address is not one to connect to. */
export class RefusedAddress extends Error {}

/** Codes of OpenSSL and of Node's certificate check. */
const TLS =
  /^(?:ERR_(?:TLS|SSL|OSSL)_|EPROTO$|(?:CERT|CRL|UNABLE|ERROR_IN|DEPTH_ZERO|SELF_SIGNED|INVALID|PATH_LENGTH|HOSTNAME|UNSPECIFIED)(?:_|$))/;
const TIMEOUT = ["ETIMEDOUT", "ETIMEOUT", "UND_ERR_CONNECT_TIMEOUT", "ERR_SOCKET_CONNECTION_TIMEOUT"];

/** What a failed connection or a broken answer means. */
export function callErrorFrom(error: Error, beforeSent: boolean): CallError {
  const { code } = error as NodeJS.ErrnoException;
  const refusedAddress = error instanceof RefusedAddress;
  const detail = { beforeSent, refusedAddress, code };
  if (code !== undefined && TIMEOUT.includes(code)) return new CallError("timeout", detail);
  return new CallError(code !== undefined && TLS.test(code) ? "tls_error" : "connection_refused", detail);
}
