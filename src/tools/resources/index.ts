import { listResources } from "./list-resources.ts";
import { readResource } from "./read-resource.ts";

/** The texts that agents read over MCP. */
export const resourcesOperations = [listResources, readResource] as const;
