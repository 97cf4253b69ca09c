import { type Core, openCore } from "../../composition/core.ts";
import { type Problem, problem } from "../../core/problem.ts";
import { ACCOUNT_SCOPES, ALL_SCOPES, recognizedScopes, type Scope } from "../../domain/access/roles.ts";
import { commandOn } from "../../lib/command-line.ts";
import { UsageError } from "../../lib/operator-error.ts";
import { hashSecret, keyPrefix } from "../../lib/secrets.ts";
import { callAsOperator } from "../operator.ts";
import { configOf, type DataOptions, type OptionNames, print, quietLog } from "../terminal.ts";
import { findWorkspace, hasDatabase, withCore } from "../with-core.ts";

interface WorkspaceOptions extends DataOptions {
  workspace?: string;
}

interface KeyOptions extends WorkspaceOptions {
  name: string;
  scopes: string;
  expiresInDays?: string;
  socialnetAccount?: string;
}

export async function createKey(options: KeyOptions): Promise<void> {
  const { named, scopes, unknown } = scopesOf(options.scopes);
  const days = options.expiresInDays;
  if (days !== undefined && !/^\d+$/.test(days))
    throw new UsageError("--expires-in-days must be a whole number of days.");
  const input = {
    name: options.name,
    scopes: named,
    ...(days === undefined ? {} : { expires_in_days: Number(days) }),
    ...(options.socialnetAccount === undefined ? {} : { socialnet_account_id: options.socialnetAccount }),
  };
  const show = ({ key }: { key: string }) =>
    [key, "", `Copy your key now. You won't see it again. Scopes: ${scopes.join(", ")}.`].join("\n");
  const isCreated = await onWorkspace(options, "create_key", input, show, KEY_OPTIONS);
  if (!isCreated) return;
  if (unknown.length > 0) {
    process.stderr.write(
      `Ignored unknown scopes: ${unknown.join(", ")}. Available scopes: ${ALL_SCOPES.join(", ")}. ` +
        "To change a key's scopes, create a new key and revoke the old one.\n",
    );
  }
  const needAccount = ACCOUNT_SCOPES.filter((scope) => scopes.includes(scope));
  if (needAccount.length > 0 && options.socialnetAccount === undefined) {
    process.stderr.write(
      `Without --socialnet-account, this key can't use ${needAccount.join(" and ")} to read or send actions. ` +
        "You can't add an account to the key later.\n",
    );
  }
}

const KEY_OPTIONS: OptionNames = {
  name: "--name",
  scopes: "--scopes",
  expires_in_days: "--expires-in-days",
  socialnet_account_id: "--socialnet-account",
};

/**
 * The scopes as named, those of them that exist, and the names that don't.
 *
 * @throws UsageError where none exists
 */
function scopesOf(text: string): { named: readonly string[]; scopes: readonly Scope[]; unknown: readonly string[] } {
  const given = text.split(",").map((scope) => scope.trim());
  if (given.includes("all")) return { named: ALL_SCOPES, scopes: ALL_SCOPES, unknown: [] };
  const scopes = recognizedScopes(given);
  const unknown = given.filter((scope) => !recognizedScopes([scope]).length);
  if (scopes.length === 0) {
    const what = unknown.length === 1 ? "Unknown scope" : "Unknown scopes";
    throw new UsageError(
      `${what}: ${unknown.join(", ")}. No key was created. Available scopes: ${ALL_SCOPES.join(", ")}.`,
    );
  }
  return { named: given, scopes, unknown };
}

interface ListedKey {
  id: string;
  name: string;
  prefix: string;
  revoked_at: string | null;
  expires_at: string | null;
  last_used_at: string | null;
}

export async function listKeys(options: WorkspaceOptions): Promise<void> {
  await onWorkspace(options, "list_keys", { limit: 100 }, (keys: ListedKey[]) =>
    keys.length === 0
      ? `No API keys yet. Create one with ${commandOn(configOf(options).data, "key create --name NAME --scopes SCOPES")}.`
      : keys
          .map(({ id, name, prefix, revoked_at, expires_at, last_used_at }) => {
            const ends = expires_at !== null && Date.parse(expires_at) <= Date.now() ? "expired" : "expires";
            const state = revoked_at ? `revoked ${revoked_at}` : expires_at ? `${ends} ${expires_at}` : "no expiry";
            return `${id}  ${prefix}…  ${name}  (${state}; ${last_used_at === null ? "never used" : `last used ${last_used_at}`})`;
          })
          .join("\n"),
  );
}

const KEY_START = "ros_live_";

/** An id or a prefix finds the key in any workspace: a person who revokes one may know no more of it. */
export async function revokeKey(named: string, options: WorkspaceOptions): Promise<void> {
  const show = ({ name }: { name: string }) => `Revoked: ${name}.`;
  await withCore(options, async (core) => {
    const only = options.workspace === undefined ? undefined : await findWorkspace(core, options);
    const found = (await findKeys(core, named)).filter(({ workspaceId }) => only === undefined || workspaceId === only);
    const [key, another] = found;
    if (another !== undefined) {
      const ids = found.map(({ id }) => id).join(", ");
      throw new UsageError(`Several keys start with ${keyPrefix(named)}. Use the ID of one: ${ids}.`);
    }
    if (key === undefined) throw unknownKey(named, options);
    const answer = await callAsOperator(core, "revoke_key", key.workspaceId, { key_id: key.id });
    print(answer, options, show as (data: never) => string);
  });
}

/** Names what was searched for, but never a whole key. */
function unknownKey(named: string, { workspace, ...options }: WorkspaceOptions): Problem {
  const shown = named.startsWith(KEY_START) && named.length > keyPrefix(named).length ? `${keyPrefix(named)}…` : named;
  const { data } = configOf(options);
  if (workspace === undefined) {
    return problem("key_not_found", `No API key matches "${shown}". List keys with ${commandOn(data, "key list")}.`);
  }
  return problem(
    "key_not_found",
    `No API key of the workspace "${workspace}" matches "${shown}". To search all workspaces, remove --workspace.`,
  );
}

/** A whole key is found by its hash, so that one that leaked can be pasted. */
async function findKeys({ store }: Core, named: string): Promise<{ id: string; workspaceId: string }[]> {
  if (!named.startsWith(KEY_START) || named.length <= keyPrefix(named).length) {
    return store.keysNamed(named.startsWith(KEY_START) ? named : named.toLowerCase());
  }
  const whole = await store.findKey(hashSecret(named));
  return whole === undefined ? [] : [whole];
}

/** The one command besides start that may make the database. */
export async function createWorkspace(name: string, options: DataOptions): Promise<void> {
  const config = configOf(options);
  const founding = !hasDatabase(config);
  const core = await openCore(config, quietLog());
  try {
    const answer = await callAsOperator(core, "create_workspace", "", { name });
    print(
      answer,
      options,
      ({ id }: { id: string }) =>
        `${founding ? `Created the database in ${config.data}. ` : ""}Workspace ${name}: ${id}`,
      { name: "The name" },
    );
  } finally {
    await core.close();
  }
}

/** @returns whether the operation succeeded */
async function onWorkspace<T>(
  options: WorkspaceOptions,
  operation: string,
  input: unknown,
  show: (data: T) => string,
  named?: OptionNames,
): Promise<boolean> {
  return withCore(options, async (core) => {
    const workspaceId = await findWorkspace(core, options);
    const answer = await callAsOperator(core, operation, workspaceId, input);
    print(answer, options, show as (data: never) => string, named);
    return answer.refusal === undefined;
  });
}
