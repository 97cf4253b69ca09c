import type { z } from "zod";
import type { operations } from "../../tools/index.ts";
import type { ListMeta } from "../../tools/page.ts";

type Listed = (typeof operations)[number];
export type OperationName = Listed["name"];
type Named<N extends OperationName> = Extract<Listed, { name: N }>;

export type InputOf<N extends OperationName> = z.input<Named<N>["input"]>;
/** The `data` of an operation's answer. */
export type DataOf<N extends OperationName> = z.output<Named<N>["output"]>;
/** Where a page stands in its list. */
export type PageMeta = Counted<z.output<typeof ListMeta>>;

/** The `meta` beside it, for lists. */
export type MetaOf<N extends OperationName> =
  Named<N> extends { meta?: infer M } ? Counted<z.output<Extract<M, z.ZodType>>> : undefined;

/** The contract lets a total be null; no list leaves its own out. */
type Counted<M> = M extends { total: number | null } ? Omit<M, "total"> & { total: number } : M;
