import type { Pool } from "undici";
import { hubPool } from "./hub-pool.ts";
import { embeddedHub, realHub } from "./hub-under-test.ts";

/** Connections to an embedded hub of its own and to the real control plane of this run, in this order. */
export interface HubPair {
  readonly pools: readonly Pool[];
  readonly close: () => Promise<void>;
}

export async function openHubPair(): Promise<HubPair> {
  const real = await realHub();
  const embedded = await embeddedHub();
  const pools = [hubPool(embedded.kubeconfig), hubPool(real.kubeconfig)];
  const close = async (): Promise<void> => {
    await Promise.all(pools.map((pool) => pool.close()));
    await embedded.stop();
  };
  return { pools, close };
}
