import type { JSX } from "preact";
import type { TokenRow } from "../../../../model/generated/page-api.ts";
import { When } from "./when.tsx";
import { useNow } from "../data/time.ts";

const soonMs = 24 * 3_600_000;

/** How long a token still lives. */
export function TokenLife({ token: { expires, state } }: { readonly token: TokenRow }): JSX.Element {
  const now = useNow();
  if (expires === undefined) return <span class="soft">no end</span>;
  const leftMs = Date.parse(expires) - now;
  const tone = leftMs <= 0 || state === "False" ? "notReady" : leftMs < soonMs ? "unknown" : "";
  return (
    <span class={tone}>
      {leftMs <= 0 ? "ended " : "ends "}
      <When time={expires} />
    </span>
  );
}
