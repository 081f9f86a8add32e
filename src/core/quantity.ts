import { ownValue } from "./own-value.ts";

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
export function numberOfQuantity(quantity: string | number | undefined): number | undefined {
  if (typeof quantity === "number") return quantity;
  const match = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|)$/u.exec(
    quantity ?? "",
  );
  return match ? Number(match[1]) * (ownValue(factors, match[2] ?? "") ?? 1) : undefined;
}

const sizeUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Bytes as `23.6 GiB`: one digit behind the point, from KiB on. */
export function formatSize(sizeBytes: number): string {
  const power = Math.min(sizeUnits.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, sizeBytes)) / 10)));
  const amount = sizeBytes / 2 ** (10 * power);
  return `${power === 0 ? amount : amount.toFixed(1)} ${sizeUnits[power]}`;
}

/** A quantity of a resource of nodes for people: sizes as {@link formatSize}, all others as Kubernetes writes them. */
export function formatQuantity(resource: string, quantity: string): string {
  const isSize = resource === "memory" || resource.endsWith("storage") || resource.startsWith("hugepages-");
  const sizeBytes = isSize ? numberOfQuantity(quantity) : undefined;
  return sizeBytes === undefined ? quantity : formatSize(sizeBytes);
}
