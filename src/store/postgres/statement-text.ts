/**
 * Statements are written with named parameters and with names for columns in camel case, which PostgreSQL would fold to
 * lower case. A parameter gets the type of its value: left to itself, PostgreSQL refuses one that is only asked whether
 * it is null, or one that is used as two types. How many rows of a page are asked for is written into the text, where it
 * is one of few numbers: PostgreSQL takes a parameter for a tenth of the table, and so plans each call again.
 */
export class StatementText {
  /** Text, parameter, text, …, text. */
  readonly #parts: readonly string[];
  readonly #written = new Map<string, Written>();

  constructor(text: string) {
    this.#parts = split(text);
  }

  /** The text for these values. There is one for each combination of types, and in most statements only one occurs. */
  with(params: Readonly<Record<string, unknown>>): { text: string; name: string; values: unknown[] } {
    let types = "";
    for (let i = 1; i < this.#parts.length; i += 2) {
      const name = this.#parts[i] as string;
      types += isInText(name, params[name]) ? `${params[name]},` : typeOf(params[name]);
    }
    let written = this.#written.get(types);
    if (written === undefined) {
      written = this.#write(params);
      this.#written.set(types, written);
    }
    return { text: written.text, name: written.name, values: written.params.map((name) => params[name]) };
  }

  #write(given: Readonly<Record<string, unknown>>): Written {
    const params: string[] = [];
    let text = this.#parts[0] as string;
    for (let i = 1; i < this.#parts.length; i += 2) {
      const name = this.#parts[i] as string;
      const value = given[name];
      const type = TYPES[typeOf(value)];
      if (type === null) {
        text += "NULL";
      } else if (isInText(name, value)) {
        text += `${value}`;
      } else {
        if (!params.includes(name)) params.push(name);
        text += `$${params.indexOf(name) + 1}::${type}`;
      }
      text += this.#parts[i + 1];
    }
    return { text, name: statementName(text), params };
  }
}

/** The limits that are written into a text: each makes a statement of its own, so only those that are common. */
const COMMON_LIMITS: readonly unknown[] = [10, 20, 25, 50, 100];

function isInText(name: string, value: unknown): boolean {
  if (name === "offset") return value === 0;
  return name === "limit" && COMMON_LIMITS.includes(value);
}

interface Written {
  text: string;
  name: string;
  params: string[];
}

const TYPES = { "0": null, i: "bigint", d: "double precision", t: "text", b: "bytea" } as const;

function typeOf(value: unknown): keyof typeof TYPES {
  if (value === null || value === undefined) return "0";
  if (typeof value === "number") return Number.isInteger(value) ? "i" : "d";
  return Buffer.isBuffer(value) ? "b" : "t";
}

/** Literals and quoted names; parameters; names in camel case. */
const TOKEN = /'(?:[^']|'')*'|"[^"]*"|@(\w+)|\b[a-z]+[A-Z]\w*/g;

function split(text: string): string[] {
  const parts = [""];
  let end = 0;
  const add = (more: string) => {
    parts[parts.length - 1] += more;
  };
  for (const token of text.matchAll(TOKEN)) {
    const [whole, param] = token;
    add(text.slice(end, token.index));
    end = token.index + whole.length;
    if (param !== undefined) parts.push(param, "");
    else add(whole.startsWith("'") || whole.startsWith('"') ? whole : `"${whole}"`);
  }
  add(text.slice(end));
  return parts;
}

const names = new Map<string, string>();

/** The name by which connections keep a statement prepared. */
export function statementName(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `s${names.size + 1}`;
    names.set(text, name);
  }
  return name;
}
