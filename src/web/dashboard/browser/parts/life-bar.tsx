import type { JSX } from "preact";
import { When } from "./when.tsx";

interface LifeBarProps {
  readonly from: string | undefined;
  readonly until: string | undefined;
  /** By the server's clock. */
  readonly now: string;
}

/** How much of a credential's life is left. */
export function LifeBar({ from, until, now }: LifeBarProps): JSX.Element | null {
  if (until === undefined) return null;
  const wholeMs = Date.parse(until) - Date.parse(from ?? now);
  const leftMs = Date.parse(until) - Date.parse(now);
  const share = from === undefined || wholeMs <= 0 ? undefined : Math.max(0, Math.min(1, leftMs / wholeMs));
  return (
    <>
      {share !== undefined && (
        <span class="meter" aria-hidden="true">
          <span class={share < 0.1 ? "notReady" : "accent"} style={{ width: `${share * 100}%` }} />
        </span>
      )}
      <span class="soft">
        {leftMs > 0 ? "ends " : "ended "}
        <When time={until} />
      </span>
    </>
  );
}
