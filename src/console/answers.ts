import type { z } from "zod";
// The one place of a surface that knows the list: its types, and nothing that runs.
import type { operations } from "../tools/index.ts";

type Listed = (typeof operations)[number];
export type OperationName = Listed["name"];
type Named<N extends OperationName> = Extract<Listed, { name: N }>;

export type InputOf<N extends OperationName> = z.input<Named<N>["input"]>;
/** The `data` of an operation's answer. */
export type DataOf<N extends OperationName> = z.output<Named<N>["output"]>;

/** Where a page stands in its list. */
export interface PageMeta {
  total: number;
  limit: number;
  offset: number;
  hasMore: boolean;
}
