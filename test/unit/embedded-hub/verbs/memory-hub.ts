import { silentLog } from "../../../../src/core/log.ts";
import { definitionsOfCrd } from "../../../../src/embedded-hub/crds/crd-definitions.ts";
import { grantNames } from "../../../../src/embedded-hub/crds/crd-names.ts";
import type { Random } from "../../../../src/core/clock.ts";
import { objectAt } from "../../../../src/core/read-json.ts";
import type { Admission } from "../../../../src/embedded-hub/operations/admission.ts";
import type { Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import type { ResourceDefinition } from "../../../../src/embedded-hub/operations/resource-definition.ts";
import { createTurns } from "../../../../src/embedded-hub/operations/turns.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { ResourceRegistry } from "../../../../src/embedded-hub/resources/registry.ts";
import { openStore } from "../../../../src/embedded-hub/store/open-store.ts";
import { noPersistence } from "../../../../src/embedded-hub/store/persistence.ts";
import type { Store } from "../../../../src/embedded-hub/store/store.ts";
import { makeOperations } from "../../../../src/embedded-hub/verbs/make-operations.ts";
import { ServedViews } from "../../../../src/embedded-hub/verbs/served-views.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import type { ManualClock } from "../../../support/manual-clock.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { realRandom } from "../../../support/real-time.ts";

/** The verbs alone: a store in memory without history of its own, no controllers, and admission that lets all through. */
export interface MemoryHub {
  readonly operations: Operations;
  readonly store: Store;
  readonly registry: ResourceRegistry;
  readonly clock: ManualClock;
  readonly definitionOf: (apiVersion: string, kind: string) => ResourceDefinition;
  /** Serves what a CRD declares, with its names, from now on. */
  readonly serve: (crd: KubeObject) => void;
}

export async function startMemoryHub(
  crds: readonly KubeObject[] = [],
  admission: Partial<Admission> = {},
  random: Random = realRandom,
): Promise<MemoryHub> {
  const registry = new ResourceRegistry(builtInResources());
  const clock = createManualClock();
  const store = await openStore({ persistence: noPersistence, log: silentLog });
  const operations = makeOperations({
    ...{ store, registry, clock, views: new ServedViews(), random, turns: createTurns(() => 0) },
    admission: { mutate: ({ object }) => Promise.resolve(object), validate: () => Promise.resolve(), ...admission },
    answers: new Map([
      ["/pods/eviction", (_context, _target, object) => Promise.resolve({ ...object, kind: "Answer" })],
    ]),
  });
  const serve = (crd: KubeObject): void => {
    const { acceptedNames } = grantNames(crd, []);
    const metadata = { ...crd.metadata, resourceVersion: String(store.revision + 1) };
    registry.setCustom(
      crd.metadata.name,
      definitionsOfCrd({ ...crd, metadata, status: { ...objectAt(crd, "status"), acceptedNames } }),
    );
  };
  for (const crd of crds) serve(crd);
  return {
    ...{ operations, store, registry, clock, serve },
    definitionOf: (apiVersion, kind) => {
      const definition = operations.definitionOfKind(apiVersion, kind);
      if (definition === undefined) throw new Error(`${apiVersion} ${kind} is not served`);
      return definition;
    },
  };
}
