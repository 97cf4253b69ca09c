/** @jsxRuntime automatic @jsxImportSource preact */

import { Icon } from "./icon.tsx";

/** How many colors styles.css has for marks. */
const COLORS = 8;

interface MarkProps {
  /** The name as people read it. The same name has the same color everywhere. */
  name: string;
  /** Companies are square. Agents and other API keys are robots, and Rostrum itself has its own sign: neither is a person. */
  kind?: "person" | "company" | "agent" | "server";
  large?: boolean;
  /** As high as a line of text. */
  small?: boolean;
}

/** The initials of a person or company, or what acts instead. Hidden from screen readers: the name is always next to it. */
export function Mark({ name, kind = "person", large = false, small = false }: MarkProps) {
  const size = large ? " large" : small ? " little" : "";
  if (kind === "agent" || kind === "server") {
    return (
      <span class={`initials ${kind}${size}`} aria-hidden="true">
        <Icon name={kind === "agent" ? "agents" : "rostrum"} />
      </span>
    );
  }
  const shape = kind === "person" ? "" : ` ${kind}`;
  return (
    <span class={`initials color-${colorOf(name)}${shape}${size}`} aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}

function colorOf(name: string): number {
  let sum = 0;
  for (const letter of name) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521;
  return sum % COLORS;
}

/** The first letters of the first and the last word, or the first letter of an email address. */
function initialsOf(name: string): string {
  const words = name
    .replace(/@.*/, "")
    .trim()
    .split(/[\s.]+/);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => [...(word ?? "")][0]?.toUpperCase() ?? "")
    .join("");
}
