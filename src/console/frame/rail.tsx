/** @jsxRuntime automatic @jsxImportSource preact */
import type { Room } from "../pages/rooms.ts";
import { Icon } from "../parts/icon.tsx";
import { useVisit } from "../visit.ts";

export function Rail() {
  const { href, rooms, path } = useVisit();
  const rest = rooms.filter(({ inBar }) => inBar !== true);
  return (
    <nav class="rail" aria-label="Rooms">
      <a class="mark" href={href("/")} aria-label="Rostrum, today">
        <Icon name="rostrum" />
        <span>Rostrum</span>
      </a>
      <ul>
        {rooms.map((room) => (
          <li key={room.path} class={room.inBar === true ? undefined : "beyond"}>
            <RoomLink room={room} />
          </li>
        ))}
      </ul>
      <details class="menu more">
        <summary class={rest.some((room) => isIn(room, path)) ? "current" : undefined}>
          <Icon name="more" />
          <span>More</span>
        </summary>
        <ul>
          {rest.map((room) => (
            <li key={room.path}>
              <RoomLink room={room} />
            </li>
          ))}
        </ul>
      </details>
    </nav>
  );
}

function RoomLink({ room }: { room: Room }) {
  const { href, path, counts } = useVisit();
  const count = counts[room.path] ?? 0;
  return (
    <a href={href(room.path)} aria-current={isIn(room, path) ? "page" : undefined} data-go={room.key}>
      <Icon name={room.icon} />
      <span>{room.name}</span>
      {room.count !== undefined && (
        <span class="count" data-count={room.path} hidden={count === 0}>
          {count > 99 ? "99+" : count}
        </span>
      )}
    </a>
  );
}

/** Whether a page belongs to a room. */
export function isIn(room: Room, path: string): boolean {
  return room.path === "/" ? path === "/" || path === "" : path === room.path || path.startsWith(`${room.path}/`);
}
