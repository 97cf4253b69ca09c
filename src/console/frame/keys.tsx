/** @jsxRuntime automatic @jsxImportSource preact */
import { Fragment } from "preact";
import type { Key } from "../screen.ts";
import { useVisit } from "../visit.ts";

/** The list of keys, which `?` opens; console.js knows them by their data. */
export function Keys() {
  const { rooms, keys } = useVisit();
  const everywhere = [
    { key: "/", does: "Search contacts" },
    { key: "?", does: "This list" },
    { key: "Esc", does: "Close what is open" },
  ];
  const led = rooms.map(({ key, name }) => ({ key: `g ${key}`, does: name }));
  return (
    <dialog id="keys" aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
      {keys.length > 0 && <KeyList title="Here" keys={keys} />}
      <div data-page-keys hidden>
        <h3>On this page</h3>
        <dl class="facts" />
      </div>
      <KeyList title="Go to" keys={led} />
      <KeyList title="Everywhere" keys={everywhere} />
      <label class="choice">
        <input type="checkbox" data-keys-switch /> Single keys work in this browser
      </label>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </dialog>
  );
}

function KeyList({ title, keys }: { title: string; keys: readonly Key[] }) {
  return (
    <>
      <h3>{title}</h3>
      <dl class="facts">
        {keys.map(({ key, does }) => (
          <Fragment key={key}>
            <dt>
              {key.split(" ").map((part) => (
                <kbd key={part}>{part}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}
