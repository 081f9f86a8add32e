import type { TransportRequest } from "../../src/kube/transport.ts";

/** What becomes of one request. */
export type Fate =
  | { readonly kind: "served" }
  /** No process listens, or the name does not resolve. */
  | { readonly kind: "unreachable" }
  /** The connection ends before the server has read the request. */
  | { readonly kind: "lost-request"; readonly afterMs: number }
  /** The server has done it, and the client does not learn it: the connection ends, or nothing comes. */
  | { readonly kind: "lost-answer"; readonly isClosed: boolean }
  | { readonly kind: "delayed"; readonly byMs: number }
  /** A proxy sends it twice. */
  | { readonly kind: "doubled"; readonly againWithinMs: number }
  /** The second sending of a doubled one. */
  | { readonly kind: "unheard" }
  | { readonly kind: "refused"; readonly status: number; readonly retryAfterSeconds?: number };

/** How many of a thousand requests meet a fault of this kind. */
export interface FaultRates {
  readonly lostRequest: number;
  readonly lostAnswer: number;
  readonly delayed: number;
  readonly doubled: number;
  readonly refused: number;
}

export const noFaults: FaultRates = { lostRequest: 0, lostAnswer: 0, delayed: 0, doubled: 0, refused: 0 };

/** `dice`: uniform in [0, 1). */
export function drawFate(rates: FaultRates, request: TransportRequest, dice: () => number): Fate {
  const { method } = request;
  let left = dice() * 1000;
  const hits = (rate: number): boolean => (left -= rate) < 0;
  if (hits(rates.lostRequest)) return { kind: "lost-request", afterMs: 2000 };
  if (hits(rates.lostAnswer)) return { kind: "lost-answer", isClosed: dice() < 0.7 };
  if (hits(rates.delayed)) return { kind: "delayed", byMs: dice() * 12_000 };
  // Proxies repeat what may be done twice.
  if (hits(rates.doubled)) return method === "POST" ? { kind: "served" } : { kind: "doubled", againWithinMs: 3000 };
  if (hits(rates.refused)) return drawRefusal(request, dice);
  return { kind: "served" };
}

function drawRefusal({ method, path, pool }: TransportRequest, dice: () => number): Fate {
  const draw = dice();
  // A version or a continue token that the server no longer has.
  if (draw < 0.6 && (pool === "watch" || path.includes("continue="))) return { kind: "refused", status: 410 };
  if (draw < 0.4) return { kind: "refused", status: 500 };
  if (draw < 0.7 || method === "GET") return { kind: "refused", status: 429, retryAfterSeconds: 1 };
  return { kind: "refused", status: 409 };
}
