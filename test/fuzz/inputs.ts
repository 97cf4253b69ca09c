import fc from "fast-check";
import { inputSchema } from "../../src/core/json-schema.ts";
import type { Operation } from "../../src/core/operation.ts";
import { operations as all } from "../../src/tools/index.ts";
import { bodies, likelyBodies } from "../support/inputs.ts";
import type { World } from "./message.ts";

export const operations: readonly Operation[] = all;

export type Input = Record<string, unknown>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The kind of record that a field or a path segment names: `contact_id`, `contacts`. */
const KINDS: Record<string, string> = {
  agents: "socialnet",
  checklist: "item",
  leaseToken: "lease",
  opportunity: "deal",
  review: "card",
};
const kindOf = (name: string) => KINDS[name] ?? name.replace(/(?:_id|Id|s)$/, "");

/** Picks ids of the world's records. */
export class Picker {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Mostly an id of a record of the named kind; sometimes of another kind, or the neighbor's. */
  pick(name: string, chance: number): string {
    const { ids, foreignIds } = this.#world;
    const from = chance % 8 === 1 ? foreignIds : ids;
    const fitting = chance % 8 === 0 ? undefined : from[kindOf(name)];
    const choices = fitting ?? Object.values(from).flat();
    return choices[(chance >> 3) % choices.length] as string;
  }

  /** An input for each operation. @param url replaces every URL that the server would call */
  inputs(url: string): (operation: Operation) => fc.Arbitrary<Input> {
    const made = new Map(operations.map((operation) => [operation, this.#input(operation, url)]));
    return (operation) => made.get(operation) as fc.Arbitrary<Input>;
  }

  #input(operation: Operation, url: string): fc.Arbitrary<Input> {
    const schema = inputSchema(operation);
    const own = idKind(operation.http?.path) ?? operation.name.split("_").at(-1) ?? "";
    const chances = fc.infiniteStream(fc.nat());
    return fc.tuple(fc.oneof(bodies(schema), likelyBodies(schema)), chances).map(([body, chance]) => {
      const pick = (name: string) => this.pick(name, chance.next().value);
      const known = (name: string, value: unknown): unknown => {
        if (name === "url" && typeof value === "string" && URL.canParse(value)) return url;
        if (/_ids$/.test(name) && Array.isArray(value)) return value.map(() => pick(name.slice(0, -1)));
        const isId = typeof value === "string" && (UUID.test(value) || /(?:^|_)id$/i.test(name));
        return isId ? pick(name === "id" ? own : name) : value;
      };
      return JSON.parse(JSON.stringify(body, known)) as Input;
    });
  }
}

/** The kind of `{id}` in a path: what the segment before it names. */
export const idKind = (path = "") => /(\w+)\/\{id\}/.exec(path)?.[1];
