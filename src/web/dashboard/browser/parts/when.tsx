import type { JSX } from "preact";
import { formatExactly, formatWhen, useNow } from "../data/time.ts";

/** A time in relative form, with the exact one as its title. */
export function When({ time }: { readonly time: string | undefined }): JSX.Element {
  const now = useNow();
  if (time === undefined) return <span class="soft">–</span>;
  return (
    <time dateTime={time} title={formatExactly(time)}>
      {formatWhen(time, now)}
    </time>
  );
}
