import type { Operation } from "../core/operation.ts";
import { accessOperations } from "./access/index.ts";
import { checklistOperations } from "./checklist/index.ts";
import { contactsOperations } from "./contacts/index.ts";
import { eventsOperations } from "./events/index.ts";
import { inboxOperations } from "./inbox/index.ts";
import { outreachOperations } from "./outreach/index.ts";
import { reportsOperations } from "./reports/index.ts";
import { resourcesOperations } from "./resources/index.ts";
import { socialnetOperations } from "./socialnet/index.ts";

/** Every operation there is, area by area, in the order that the API description and the docs show. */
export const operations = [
  ...contactsOperations,
  ...outreachOperations,
  ...inboxOperations,
  ...checklistOperations,
  ...socialnetOperations,
  ...resourcesOperations,
  ...eventsOperations,
  ...accessOperations,
  ...reportsOperations,
] as const satisfies readonly Operation[];
