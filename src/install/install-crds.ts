import { AppError } from "../core/errors.ts";
import { isContained } from "../core/is-contained.ts";
import { objectsAt } from "../core/read-json.ts";
import type { KubeApi } from "../kube/kube.ts";
import { againOnConflict, applyAsFound } from "./apply-as-found.ts";
import { keepFields } from "./keep-fields.ts";
import { describeDifference, refuseNewerData } from "./check-hub.ts";
import { crds } from "../model/generated/crds.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { realClock } from "../system/real-clock.ts";

/** How long a definition may take to be served. */
const establishTimeoutMs = 30_000;

/**
 * Creates or updates the resource definitions of rollcall.dev and waits until they are served. Nothing is written when
 * they are there already, or are of a newer version that this one works with. A field that only the hub's definition has
 * stays in it. Definitions that Rollcall did not make are never changed.
 * @throws E_STORE_VERSION, E_KUBE_DEFINITION when what is on the hub is too new for this program, before anything is written
 * @throws E_KUBE_CONFLICT when another installer made one, E_KUBE_SERVER when one is not served in time
 */
export async function installCrds(hubApi: KubeApi, signal: AbortSignal): Promise<void> {
  for (const crd of crds) {
    const live = await hubApi.get(
      { type: resourceTypes.customResourceDefinition, name: crd.metadata.name },
      { signal },
    );
    if (live && isOurs(live, crd)) refuseNewerData(hubApi.server, live, crd);
  }
  await applyCrds(hubApi, crds, { isForeignKept: false, signal });
}

/**
 * The same for any definitions. Those of another installer stay as they are, or are refused.
 * @throws E_KUBE_CONFLICT, E_KUBE_SERVER as installCrds
 */
export async function applyCrds(
  hubApi: KubeApi,
  definitions: readonly KubeObject[],
  { isForeignKept, signal }: { readonly isForeignKept: boolean; readonly signal: AbortSignal },
): Promise<void> {
  await Promise.all(
    definitions.map((crd) =>
      againOnConflict(async () => {
        const ref = { type: resourceTypes.customResourceDefinition, name: crd.metadata.name };
        const live = await hubApi.get(ref, { signal });
        if (live && !isOurs(live, crd)) {
          if (isForeignKept) return;
          refuseForeign(crd);
        }
        if (!live || (!isAsWanted(live, crd) && !isNewer(live, crd)))
          await applyAsFound(hubApi, { live, object: live ? keepFields(crd, live) : crd }, signal);
        await waitUntilServed(hubApi, crd.metadata.name, signal);
      }),
    ),
  );
}

/** It has every field of ours and more: an older program takes no fields away, whose values would be lost. */
function isNewer(live: KubeObject, ours: KubeObject): boolean {
  return describeDifference(live, ours) === undefined && describeDifference(ours, live) !== undefined;
}

/** An API server fills in defaults, at every depth: those make no difference. */
export function isAsWanted(live: KubeObject, { metadata: { labels, annotations }, ...wanted }: KubeObject): boolean {
  return isContained({ ...wanted, metadata: { labels, annotations } }, live);
}

function isOurs(live: KubeObject, crd: KubeObject): boolean {
  const label = "app.kubernetes.io/part-of";
  const wanted = crd.metadata.labels?.[label];
  return wanted === undefined || live.metadata.labels?.[label] === wanted;
}

function refuseForeign(crd: KubeObject): never {
  throw new AppError(
    "E_KUBE_CONFLICT",
    `CustomResourceDefinition/${crd.metadata.name} exists and was not made by Rollcall`,
    { recovery: "stalled" },
  );
}

async function waitUntilServed(hubApi: KubeApi, name: string, signal: AbortSignal): Promise<void> {
  const deadlineMs = realClock.monotonicMs() + establishTimeoutMs;
  for (;;) {
    const live = await hubApi.get({ type: resourceTypes.customResourceDefinition, name }, { signal });
    if (live && isEstablished(live)) return;
    if (realClock.monotonicMs() > deadlineMs)
      throw new AppError("E_KUBE_SERVER", `CustomResourceDefinition/${name} is not served after 30 s`);
    await realClock.sleep(50, signal);
  }
}

function isEstablished(crd: KubeObject): boolean {
  return objectsAt(crd, "status", "conditions").some(({ type, status }) => type === "Established" && status === "True");
}
