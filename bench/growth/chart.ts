/** Draws lines as SVG, in colors that can be read on a light and on a dark page. */
import escapeHtml from "escape-html";

interface Line {
  name: string;
  points: readonly { x: number; y: number }[];
}

/** Lines over one logarithmic axis. */
export interface Panel {
  title: string;
  lines: readonly Line[];
}

const WIDTH = 860;
const HEIGHT = 280;
const TOP = 64;
const BOTTOM = 46;
const LEFT = 56;
const RIGHT = 16;
const GAP = 28;
const TICKS = 4;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #57606a; }
  .title { font-size: 14px; font-weight: 600; fill: #24292f; }
  .grid { stroke: #d0d7de; }
  .line { fill: none; stroke-width: 2; stroke-linejoin: round; }
  .line0 { stroke: #0969da; } .mark0 { fill: #0969da; }
  .line1 { stroke: #bc4c00; stroke-dasharray: 6 3; } .mark1 { fill: #bc4c00; }
  @media (prefers-color-scheme: dark) {
    text { fill: #9198a1; } .title { fill: #f0f6fc; } .grid { stroke: #3d444d; }
    .line0 { stroke: #4493f8; } .mark0 { fill: #4493f8; }
    .line1 { stroke: #f0883e; } .mark1 { fill: #f0883e; }
  }`;

/** A chart of panels side by side, with one scale for all. Every panel has the same lines. */
export function chart(title: string, unit: string, panels: readonly Panel[]): string {
  const ys = panels.flatMap(({ lines }) => lines.flatMap(({ points }) => points.map(({ y }) => y)));
  const top = niceAbove(Math.max(...ys, 1));
  const width = (WIDTH - LEFT - RIGHT - GAP * (panels.length - 1)) / panels.length;
  const yOf = (y: number) => HEIGHT - BOTTOM - (y / top) * (HEIGHT - BOTTOM - TOP);
  const ticks = Array.from({ length: TICKS + 1 }, (_, i) => (top * i) / TICKS);
  const names = panels[0]?.lines.map(({ name }) => name) ?? [];
  const body = [
    `<text class="title" x="${LEFT}" y="20">${escapeHtml(title)}</text>`,
    `<text x="${LEFT}" y="40">${escapeHtml(unit)}</text>`,
    ...names.map((name, i) => legend(name, i, WIDTH - RIGHT - (names.length - i) * 120)),
    ...ticks.map((tick) => text(LEFT - 8, yOf(tick) + 4, "end", tick.toLocaleString("en-US"))),
    ...panels.flatMap((panel, i) => drawPanel(panel, LEFT + i * (width + GAP), width, ticks, yOf)),
  ];
  const described = `${title}: ${unit}, by ${panels.map((panel) => panel.title).join(", ")}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escapeHtml(described)}">`,
    `<style>${STYLE}\n</style>`,
    ...body,
    "</svg>\n",
  ].join("\n");
}

function drawPanel(
  { title, lines }: Panel,
  left: number,
  width: number,
  ticks: readonly number[],
  yOf: (y: number) => number,
): string[] {
  const xs = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const [least = 1, most = 1] = [xs[0], xs.at(-1)];
  const inset = 14;
  const span = Math.log(most / least);
  const xOf = (x: number) => left + inset + (span === 0 ? 0.5 : Math.log(x / least) / span) * (width - 2 * inset);
  const drawn = lines.flatMap(({ points }, i) => {
    const places = points.map(({ x, y }) => `${round(xOf(x))},${round(yOf(y))}`);
    return [
      `<polyline class="line line${i}" points="${places.join(" ")}"/>`,
      ...points.map(({ x, y }) => `<circle class="mark${i}" cx="${round(xOf(x))}" cy="${round(yOf(y))}" r="3"/>`),
    ];
  });
  return [
    ...ticks.map((tick) => `<path class="grid" d="M${round(left)} ${round(yOf(tick))}h${round(width)}"/>`),
    ...labeled(xs, xOf).map((x) => text(xOf(x), HEIGHT - BOTTOM + 18, "middle", short(x))),
    text(left + width / 2, HEIGHT - 8, "middle", title),
    ...drawn,
  ];
}

/** The values whose labels don't overlap. The last one is always shown. */
function labeled(xs: readonly number[], xOf: (x: number) => number): number[] {
  const shown: number[] = [];
  for (const x of xs.toReversed()) {
    const last = shown.at(-1);
    if (last === undefined || xOf(last) - xOf(x) >= 30) shown.push(x);
  }
  return shown.reverse();
}

const legend = (name: string, i: number, x: number) =>
  `<path class="line line${i}" d="M${x} 16h24"/><text x="${x + 30}" y="20">${escapeHtml(name)}</text>`;

const text = (x: number, y: number, anchor: string, label: string) =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}">${escapeHtml(label)}</text>`;

/** 1, 2, 4 or 8 times a power of ten, so that its quarters are short numbers. */
export function niceAbove(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 8, 10].find((times) => times * power >= value) as number) * power;
}

/** 10k, 1M */
export function short(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 1_000 ? `${value / 1_000}k` : String(value);
}

const round = (value: number) => Math.round(value * 10) / 10;
