/** @jsxRuntime automatic @jsxImportSource preact */
import { Icon } from "../parts/icon.tsx";
import { useVisit } from "../visit.ts";
import { Outreach } from "./outreach.tsx";
import { Person } from "./person.tsx";
import { isIn } from "./rail.tsx";

export function Top() {
  const { href, query, path } = useVisit();
  return (
    <header class="top">
      <Workspaces />
      <form class="search" role="search" action={href("/contacts")} method="get">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          id="search"
          aria-label="Search contacts"
          placeholder="Search contacts"
          value={path === "/contacts" ? (query.get("q") ?? "") : ""}
          maxLength={200}
          autoComplete="off"
          {...(path === "/contacts" ? asTyped(href("/contacts")) : {})}
        />
        <kbd>/</kbd>
      </form>
      <Outreach />
      <Person />
    </header>
  );
}

/** On the page that shows what is found, it is found while somebody types. */
function asTyped(address: string) {
  return {
    "hx-get": address,
    "hx-trigger": "input changed delay:200ms",
    "hx-target": "main",
    "hx-select": "main",
    "hx-swap": "outerHTML",
    // What is found has an address of its own, which can be shared.
    "hx-replace-url": "true",
  };
}

function Workspaces() {
  const { memberships, workspace, rooms, path } = useVisit();
  // The same room there; a record of this one is none of that.
  const room = rooms.find((known) => known.path !== "/" && isIn(known, path))?.path ?? "";
  if (memberships.length < 2) return <span class="workspace">{workspace.name}</span>;
  return (
    <details class="menu workspace">
      <summary>
        {workspace.name}
        <Icon name="down" />
      </summary>
      <ul>
        {memberships.map(({ workspaceId, workspaceName }) => (
          <li key={workspaceId}>
            <a
              href={`/console/w/${workspaceId}${room}`}
              aria-current={workspaceId === workspace.id ? "true" : undefined}
            >
              {workspaceName}
            </a>
          </li>
        ))}
      </ul>
    </details>
  );
}
