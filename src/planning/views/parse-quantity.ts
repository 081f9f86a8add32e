import { ownValue } from "../../core/own-value.ts";

const factors: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A Kubernetes quantity as a number, or undefined when it is none. Source: Kubernetes, apimachinery resource.Quantity. */
export function parseQuantity(quantity: string | number | undefined): number | undefined {
  if (typeof quantity === "number") return quantity;
  const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|)$/u.exec(
    quantity ?? "",
  );
  return match ? Number(match[1]) * (ownValue(factors, match[2] ?? "") ?? 1) : undefined;
}
