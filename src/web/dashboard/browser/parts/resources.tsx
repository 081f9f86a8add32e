import type { JSX } from "preact";
import { formatQuantity } from "../../../../core/quantity.ts";
import type { ResourceView } from "../../../../model/generated/page-api.ts";

/** What the nodes have together, and how much of it is taken. */
export function Resources({ resources }: { readonly resources: readonly ResourceView[] }): JSX.Element {
  return (
    <dl class="facts">
      {resources.map(({ name, allocatable, available, capacity, usedPercent }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {usedPercent !== undefined && (
              <span class="meter" aria-hidden="true">
                <span class={usedPercent > 90 ? "notReady" : "accent"} style={{ width: `${usedPercent}%` }} />
              </span>
            )}
            <span>
              {available === undefined
                ? formatQuantity(name, allocatable ?? capacity ?? "")
                : `${formatQuantity(name, available)} of ${formatQuantity(name, allocatable ?? capacity ?? "?")} free`}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
