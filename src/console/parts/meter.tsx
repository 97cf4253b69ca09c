/** @jsxRuntime automatic @jsxImportSource preact */

interface MeterProps {
  /** What it shows, for whoever does not see it; the words beside it say the same. */
  label: string;
  /** Shares of the whole, from 0 to 1, each in its colour. */
  parts: readonly { share: number; tone: "done" | "needs" | "stopped" | "accent" }[];
}

/** A quiet bar. It never stands alone: words beside it say what it shows. */
export function Meter({ label, parts }: MeterProps) {
  let from = 0;
  const bars = parts.map(({ share, tone }) => {
    const x = from;
    from += Math.max(0, Math.min(share, 1 - from));
    return { x, width: from - x, tone };
  });
  return (
    <svg class="meter" viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="ground" width="100" height="4" />
      {bars.map(({ x, width, tone }) => (
        <rect key={tone} class={tone} x={x * 100} width={width * 100} height="4" />
      ))}
    </svg>
  );
}
