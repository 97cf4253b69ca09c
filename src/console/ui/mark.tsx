/** @jsxRuntime automatic @jsxImportSource preact */

/** How many colors styles.css has for marks. */
const COLORS = 8;

interface MarkProps {
  /** The name as people read it. The same name has the same color everywhere. */
  name: string;
  /** Companies are square. Agents and other API keys are hexagons. */
  kind?: "person" | "company" | "agent";
  large?: boolean;
  /** As high as a line of text. */
  small?: boolean;
}

/** The initials of a person, company or agent. Hidden from screen readers, because the name is always next to it. */
export function Mark({ name, kind = "person", large = false, small = false }: MarkProps) {
  const shape = kind === "person" ? "" : ` ${kind}`;
  return (
    <span
      class={`initials color-${colorOf(name)}${shape}${large ? " large" : small ? " little" : ""}`}
      aria-hidden="true"
    >
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
