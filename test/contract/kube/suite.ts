import { describe } from "vitest";
import { describeApply } from "./apply.ts";
import { describeCrds } from "./crds.ts";
import { describeCredentials } from "./credentials.ts";
import { describeDeletion } from "./deletion.ts";
import { useHub } from "./hub-session.ts";
import type { CreateTransport, StartHub } from "./hub-session.ts";
import { describeLeases } from "./leases.ts";
import { describeLists } from "./lists.ts";
import { describeNamespaces } from "./namespaces.ts";
import { describeObjects } from "./objects.ts";
import { describeRights } from "./rights.ts";
import { describeWatches } from "./watches.ts";

/**
 * What this program needs of a hub, tried by its own client. The same for every hub: no test may know which one it has.
 */
export function describeKubeContract(name: string, startHub: StartHub, createTransport?: CreateTransport): void {
  describe(name, () => {
    const hub = useHub(startHub, createTransport);
    describeObjects(hub);
    describeLists(hub);
    describeWatches(hub);
    describeApply(hub);
    describeDeletion(hub);
    describeCrds(hub);
    describeNamespaces(hub);
    describeRights(hub);
    describeCredentials(hub);
    describeLeases(hub);
  });
}
