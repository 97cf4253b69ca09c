import type { z } from "zod";
import type { operations } from "../../tools/index.ts";
import type { ListMeta } from "../../tools/page.ts";

type Listed = (typeof operations)[number];
type Named<N extends OperationName> = Extract<Listed, { name: N }>;

export type OperationName = Listed["name"];

/** Calls an operation as the signed-in member. @throws Problem as the operation refuses */
export type CallOperation = <N extends OperationName>(
  name: N,
  input: InputOf<N>,
) => Promise<{ data: DataOf<N>; meta: MetaOf<N> }>;

export type InputOf<N extends OperationName> = z.input<Named<N>["input"]>;

/** The `data` of an operation's answer. */
export type DataOf<N extends OperationName> = z.output<Named<N>["output"]>;

/** The `meta` of lists. */
export type MetaOf<N extends OperationName> =
  Named<N> extends { meta?: infer M } ? WithTotal<z.output<Extract<M, z.ZodType>>> : undefined;

/** Where a page is in its list. */
export type PageMeta = WithTotal<z.output<typeof ListMeta>>;

/** The contract lets a total be null, but no list leaves out its own. */
type WithTotal<M> = M extends { total: number | null } ? Omit<M, "total"> & { total: number } : M;
