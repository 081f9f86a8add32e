import { describe, expect, it } from "vitest";
import { isQuantityError, parseQuantity } from "../../../../src/core/formats/quantity.ts";
import type { Constraint } from "../../../../src/embedded-hub/admission/limit-constraints.ts";
import { breachOf } from "../../../../src/embedded-hub/admission/limit-constraints.ts";
import { amountsOf } from "../../../../src/embedded-hub/amounts/pod-amounts.ts";

function quantity(text: string) {
  const parsed = parseQuantity(text);
  if (isQuantityError(parsed)) throw new Error(`${text} is no quantity`);
  return parsed;
}

/** What is asked for: a request and a limit; empty: none. */
type Row = readonly [kind: Constraint["kind"], amount: string, request: string, limit: string, breach: string];

const rows: readonly Row[] = [
  ["min", "100m", "100m", "100m", ""],
  ["min", "100m", "100m", "", ""],
  ["min", "100m", "99m", "1", "minimum cpu usage per Pod is 100m, but request is 99m"],
  ["min", "100m", "100m", "99m", "minimum cpu usage per Pod is 100m, but limit is 99m"],
  ["min", "100m", "", "1", "minimum cpu usage per Pod is 100m.  No request is specified"],
  ["max", "1", "1", "1", ""],
  ["max", "1", "", "1", ""],
  ["max", "1", "1", "1001m", "maximum cpu usage per Pod is 1, but limit is 1001m"],
  ["max", "1", "1001m", "1", "maximum cpu usage per Pod is 1, but request is 1001m"],
  ["max", "1", "1", "", "maximum cpu usage per Pod is 1.  No limit is specified"],
  ["maxLimitRequestRatio", "2", "1", "2", ""],
  ["maxLimitRequestRatio", "2", "500m", "1", ""],
  [
    "maxLimitRequestRatio",
    "2",
    "1",
    "3",
    "cpu max limit to request ratio per Pod is 2, but provided ratio is 3.000000",
  ],
  [
    "maxLimitRequestRatio",
    "1500m",
    "1",
    "2",
    "cpu max limit to request ratio per Pod is 1500m, but provided ratio is 2.000000",
  ],
  [
    "maxLimitRequestRatio",
    "2",
    "0",
    "1",
    "cpu max limit to request ratio per Pod is 2, but no request is specified or request is 0",
  ],
  [
    "maxLimitRequestRatio",
    "2",
    "1",
    "",
    "cpu max limit to request ratio per Pod is 2, but no limit is specified or limit is 0",
  ],
];

describe("what breaks a limit", () => {
  it.each(rows)("%s of %s, with a request of '%s' and a limit of '%s': '%s'", (...row) => {
    const [kind, amount, request, limit, breach] = row;
    const of = (text: string) => amountsOf(text === "" ? {} : { cpu: text });
    const asked = { requests: of(request), limits: of(limit) };
    expect(breachOf({ kind, resource: "cpu", amount: quantity(amount) }, "Pod", asked) ?? "").toBe(breach);
  });
});
