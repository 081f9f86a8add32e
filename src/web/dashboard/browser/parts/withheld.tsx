import type { JSX } from "preact";
import type { PlanView } from "../../../../model/generated/page-api.ts";
import { count } from "../data/words.ts";
import { Card } from "./card.tsx";
import { Deletions } from "./deletions.tsx";
import { Removals } from "./removals.tsx";

/** What a plan would take away and does not, why, and what lets it through. */
export function Withheld({ plan }: { readonly plan: PlanView }): JSX.Element | null {
  const { withheld, heldDeletes, advice } = plan;
  if (withheld.length + heldDeletes.length === 0) return null;
  const parts = [
    ...(withheld.length > 0 ? [count(withheld.length, "removal")] : []),
    ...(heldDeletes.length > 0 ? [count(heldDeletes.length, "deletion")] : []),
  ];
  return (
    <Card title={`${parts.join(" and ")} would be withheld`} tone="bad">
      {withheld.length > 0 && <Removals removals={withheld} />}
      {heldDeletes.length > 0 && <Deletions deletions={heldDeletes} count={heldDeletes.length} />}
      {advice !== undefined && <p>{advice}</p>}
    </Card>
  );
}
