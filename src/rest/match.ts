import { pathNames, type Routed } from "../operation.ts";

/** A path of the API and what can be done there, by method. */
interface Place<T> {
  methods: ReadonlyMap<string, T>;
  allow: string;
}

interface Match<T> {
  place: Place<T>;
  /** Values of the path's names, as they stand in the URL. */
  params: Record<string, string>;
}

interface Pattern<T> {
  expression: RegExp;
  names: readonly string[];
  place: Place<T>;
}

/**
 * Finds the place of a path among those of the operations. Fixed paths win over templates, as OpenAPI says:
 * /contacts/assert is never the contact called assert. Letter case and trailing slashes count.
 */
export function createMatcher<T>(
  operations: readonly Routed[],
  handlerOf: (operation: Routed) => T,
): (path: string) => Match<T> | undefined {
  const fixed = new Map<string, Place<T>>();
  const patterns: Pattern<T>[] = [];
  for (const path of new Set(operations.map(({ http }) => http.path))) {
    const here = operations.filter(({ http }) => http.path === path);
    const place = {
      methods: new Map(here.map((operation) => [operation.http.method as string, handlerOf(operation)])),
      allow: here.map(({ http }) => (http.method === "GET" ? "GET, HEAD" : http.method)).join(", "),
    };
    if (path.includes("{"))
      patterns.push({ expression: expressionOf(path), names: pathNames({ http: { path } }), place });
    else fixed.set(path, place);
  }
  return (path) => {
    const place = fixed.get(path);
    if (place !== undefined) return { place, params: {} };
    for (const { expression, names, place: there } of patterns) {
      const found = expression.exec(path);
      if (found === null) continue;
      const params: Record<string, string> = {};
      for (const [index, name] of names.entries()) params[name] = found[index + 1] as string;
      return { place: there, params };
    }
    return undefined;
  };
}

function expressionOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{(\w+)\}/g, "([^/]+)")}$`);
}
