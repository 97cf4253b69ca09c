import type { Operation } from "../operation.ts";
import { listAudit } from "./audit/list-audit.ts";
import { listAuthEvents } from "./audit/list-auth-events.ts";
import { archiveContact } from "./contacts/archive.ts";
import { assertContact } from "./contacts/assert.ts";
import { createContact } from "./contacts/create.ts";
import { findImport } from "./contacts/find-import.ts";
import { getContact } from "./contacts/get.ts";
import { importContacts } from "./contacts/import.ts";
import { listContacts } from "./contacts/list.ts";
import { queryContacts } from "./contacts/query.ts";
import { addContactTags } from "./contacts/tags.ts";
import { updateContact } from "./contacts/update.ts";
import { createKey } from "./keys/create.ts";
import { listKeys } from "./keys/list.ts";
import { revokeKey } from "./keys/revoke.ts";
import { createWorkspace } from "./workspaces/create.ts";

/** THE list: every operation there is, in the order in which surfaces and documents show them. */
export const operations = [
  listContacts,
  createContact,
  assertContact,
  queryContacts,
  getContact,
  updateContact,
  addContactTags,
  archiveContact,
  importContacts,
  findImport,
  createWorkspace,
  createKey,
  listKeys,
  revokeKey,
  listAudit,
  listAuthEvents,
] as const satisfies readonly Operation[];
