/** @jsxRuntime automatic @jsxImportSource preact */
import { useVisit } from "../visit.ts";

export function Person() {
  const { visitor, actor, theme, href, path, query } = useVisit();
  return (
    <details class="menu person">
      <summary>
        <span class="hidden">You: {visitor.person.name}</span>
        <span class="initials" aria-hidden="true">
          {initialsOf(visitor.person.name)}
        </span>
      </summary>
      <div class="sheet">
        <p>
          <strong>{visitor.person.name}</strong>
          <br />
          <span class="quiet">
            {visitor.person.email} · {actor.role}
          </span>
        </p>
        <ThemeSwitch theme={theme} back={href(path, Object.fromEntries(query))} />
        <button type="button" data-show-keys hidden>
          Keys
        </button>
        <a href="/console/account">Your account</a>
        <form method="post" action="/console/sign-out">
          <button type="submit">Sign out</button>
        </form>
      </div>
    </details>
  );
}

function ThemeSwitch({ theme, back }: { theme: string | undefined; back: string }) {
  const choices = [
    ["", "System"],
    ["light", "Light"],
    ["dark", "Dark"],
  ] as const;
  return (
    <form method="post" action="/console/theme" class="choices">
      <input type="hidden" name="back" value={back} />
      {choices.map(([value, name]) => (
        <button key={value} type="submit" name="theme" value={value} aria-pressed={(theme ?? "") === value}>
          {name}
        </button>
      ))}
    </form>
  );
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? "")][0] ?? "").join("");
}
