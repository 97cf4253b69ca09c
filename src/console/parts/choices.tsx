/** @jsxRuntime automatic @jsxImportSource preact */
import { amount } from "../figures.ts";
import { useVisit } from "../visit.ts";

interface Props {
  label: string;
  /** Of the address's query. */
  name: string;
  choices: readonly { value: string | undefined; name: string; count?: number }[];
}

/** One filter of a list as links: what is chosen stands in the address, and a page that was turned begins anew. */
export function Choices({ label, name, choices }: Props) {
  const { href, path, query } = useVisit();
  const { offset: _, before: __, ...kept } = Object.fromEntries(query);
  const chosen = query.get(name) ?? undefined;
  const known = choices.some(({ value }) => value === chosen) ? chosen : undefined;
  return (
    <nav class="filters" aria-label={label}>
      {choices.map((choice) => (
        <a
          key={choice.value ?? ""}
          href={href(path, { ...kept, [name]: choice.value })}
          aria-current={choice.value === known ? "true" : undefined}
        >
          {choice.name}
          {choice.count !== undefined && <span class="quiet"> {amount(choice.count)}</span>}
        </a>
      ))}
    </nav>
  );
}
