import type { JSX } from "preact";
import type { PlanView } from "../../../../model/generated/page-api.ts";
import { count } from "../data/words.ts";
import { Card } from "./card.tsx";
import { Deletions } from "./deletions.tsx";
import { Removals } from "./removals.tsx";

/** What a plan would take away and does not, why, and what lets it through. */
export function Withheld({ plan }: { readonly plan: PlanView }): JSX.Element | null {
  const { withheldCount, heldDeleteCount } = plan;
  if (withheldCount + heldDeleteCount === 0) return null;
  const parts = [
    ...(withheldCount > 0 ? [count(withheldCount, "removal")] : []),
    ...(heldDeleteCount > 0 ? [count(heldDeleteCount, "deletion")] : []),
  ];
  return (
    <Card title={`${parts.join(" and ")} would be withheld`} tone="bad">
      <WithheldRows plan={plan} />
    </Card>
  );
}

/** The same without a title. */
export function WithheldRows({ plan }: { readonly plan: PlanView }): JSX.Element {
  const { withheld, withheldCount, heldDeletes, heldDeleteCount, advice } = plan;
  return (
    <>
      {withheldCount > 0 && <Removals removals={withheld} count={withheldCount} />}
      {heldDeleteCount > 0 && <Deletions deletions={heldDeletes} count={heldDeleteCount} />}
      {advice !== undefined && <p>{advice}</p>}
    </>
  );
}
