import type { JSX } from "preact";
import type { HubObjectList } from "../../../../model/generated/page-api.ts";
import { count as formatCount } from "../data/words.ts";
import { Card } from "./card.tsx";

/** Objects and fields that users wrote on the hub and no file declares. */
export function HubObjects({ hubObjects: { count, items } }: { readonly hubObjects: HubObjectList }): JSX.Element {
  return (
    <Card title="On the hub, not in git" aside={formatCount(count, "object")} tone="warn">
      <ul class="waiting-files">
        {items.map(({ object, message }) => (
          <li key={object}>
            <code>{object}</code> <span>{message}</span>
          </li>
        ))}
      </ul>
      {count > items.length && <p class="soft">And {count - items.length} more.</p>}
    </Card>
  );
}
