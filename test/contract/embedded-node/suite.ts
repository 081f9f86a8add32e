import { describe } from "vitest";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { describeContainers } from "./containers.ts";
import { describeEnds } from "./ends.ts";
import { describeLogs } from "./logs.ts";
import { useNode } from "./node-session.ts";
import { describeRestarts } from "./restarts.ts";
import { describeVolumes } from "./volumes.ts";

/** A node runs Pods for any hub: real processes, real API server; no test knows which hub it has. */
export function describeNodeContract(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(name, () => {
    const node = useNode(startHub);
    describeContainers(node);
    describeVolumes(node);
    describeRestarts(node);
    describeLogs(node);
    describeEnds(node);
  });
}
