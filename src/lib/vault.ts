import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { diskFault } from "./disk-fault.ts";
import { OperatorError } from "./operator-error.ts";

const ALGORITHM = "aes-256-gcm";
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Explicit, because Node would accept shorter tags, which are easier to guess. */
const TAG = { authTagLength: TAG_BYTES };

/** Seals secrets that must be read back. A sealed text names its key, and opens only for the purpose it was sealed for. */
export interface Vault {
  /** Short and public: the first 8 hex digits of the key's hash. */
  readonly keyId: string;
  /** `v1.<key id>.<base64url of IV, tag and ciphertext>` */
  seal(secret: string, purpose: string): string;
  /** @throws VaultError where another key sealed it, it was altered, or it was not sealed for this purpose */
  open(sealed: string, purpose: string): string;
}

export class VaultError extends OperatorError {}

export function createVault(key: Buffer): Vault {
  if (key.length !== KEY_BYTES) throw new VaultError(`The data key must be ${KEY_BYTES} bytes long.`);
  const keyId = createHash("sha256").update(key).digest("hex").slice(0, 8);
  return {
    keyId,
    seal(secret, purpose) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, iv, TAG).setAAD(Buffer.from(purpose));
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return `v1.${keyId}.${Buffer.concat([iv, cipher.getAuthTag(), text]).toString("base64url")}`;
    },
    open(sealed, purpose) {
      if (sealedBy(sealed) !== keyId)
        throw new VaultError(`A stored secret was encrypted with another data key, ${sealedBy(sealed)}.`);
      const bytes = Buffer.from(sealed.split(".")[2] ?? "", "base64url");
      try {
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), TAG).setAAD(
          Buffer.from(purpose),
        );
        decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
        return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      } catch {
        throw new VaultError("A stored secret was altered, or was encrypted for another purpose.");
      }
    },
  };
}

/** The id of the key that sealed a text. */
export function sealedBy(sealed: string): string {
  return sealed.split(".")[1] ?? "";
}

/**
 * Opens the vault of a data folder, with the key from the environment or from the key file, which is created on first
 * use. The file is outside backups, so that a stolen copy of the database opens nothing.
 *
 * @param sealed the ids of the keys that sealed what is stored already
 * @param isUnused whether these keys have sealed nothing yet, and are only those of the server
 * @throws VaultError where that was another key
 */
export function openVault(
  file: string,
  given: string | undefined,
  sealed: readonly string[] = [],
  isUnused = false,
): Vault {
  const foreign = isUnused ? otherThanServer : otherThanSealed;
  if (given === undefined && !existsSync(file)) {
    // A new key could open nothing that is stored.
    if (sealed.length > 0) throw foreign(sealed, `the file ${file} does not exist`);
    makeKey(file);
  }
  const vault = createVault(given === undefined ? readKey(file) : Buffer.from(given, "base64"));
  const others = sealed.filter((keyId) => keyId !== vault.keyId);
  if (others.length > 0) throw foreign(others, `this one is ${vault.keyId}`);
  return vault;
}

function otherThanServer(keyIds: readonly string[], here: string): VaultError {
  return new VaultError(
    `The server last used the data key ${keyIds.join(", ")}; ${here}. Set ROSTRUM_DATA_KEY as the server does, or ` +
      "restore data.key. If the server's key is lost, start the server once: nothing is encrypted with that key yet.",
  );
}

function otherThanSealed(keyIds: readonly string[], here: string): VaultError {
  return new VaultError(
    `Secrets in the database are encrypted with the data key ${keyIds.join(", ")}; ${here}. Restore data.key from the ` +
      "folder the database came from, or set ROSTRUM_DATA_KEY to that key.",
  );
}

function makeKey(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Written to another name and linked, so that no process ever reads half a key.
  const draft = `${file}.${randomBytes(4).toString("hex")}`;
  try {
    writeFileSync(draft, `${randomBytes(KEY_BYTES).toString("base64")}\n`, { mode: 0o600, flush: true });
    linkSync(draft, file);
    // A power cut must not lose a key that has sealed something.
    syncFolder(dirname(file));
  } catch (error) {
    // Another process of the same folder was faster: its key is the key.
    if ((error as { code?: string }).code !== "EEXIST") throw diskFault(error, file) ?? error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, "r");
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

function readKey(file: string): Buffer {
  chmodSync(file, 0o600);
  const key = Buffer.from(readFileSync(file, "utf8").trim(), "base64");
  if (key.length === KEY_BYTES) return key;
  throw new VaultError(`${file} must hold ${KEY_BYTES} bytes in base64. Restore the original file.`);
}
