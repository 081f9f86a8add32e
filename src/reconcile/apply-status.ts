import { AppError, isAppError } from "../core/errors.ts";
import { isJsonEqual } from "../core/json.ts";
import type { Repository, RepositoryStatus } from "../model/generated/repository.ts";
import type { KubeObject } from "../model/kubernetes.ts";
import { apiVersionOf, describeRef, refOf } from "../model/kubernetes.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { fieldManagers } from "../model/well-known.ts";
import { diffOwnedFields } from "../planning/owned-fields.ts";
import type { ReconcilerOptions } from "./reconciler-options.ts";

/** Other writers of a Repository may be faster so often. */
const mostAttempts = 5;

export interface StatusWrite {
  /** What the status was computed from. */
  readonly repository: Repository;
  readonly status: RepositoryStatus;
  readonly signal: AbortSignal;
  /** True: any change of the object since then is a conflict. Default: a change of the records of removals is one. */
  readonly isStrict?: boolean;
}

/**
 * Writes Repository.status when it differs; returns the repository as it is then. A status that was computed from older
 * records never replaces newer ones: another process, which leads now, may have counted removals since.
 * @throws E_KUBE_CONFLICT when the records have changed
 */
export async function applyStatus(
  { hubApi, recordRepository }: Pick<ReconcilerOptions, "hubApi" | "recordRepository">,
  { repository, status, signal, isStrict = false }: StatusWrite,
): Promise<Repository> {
  const type = resourceTypes.repository;
  const manager = fieldManagers.hub;
  const options = { fieldManager: manager, subresource: "status", signal } as const;
  const { name, namespace } = repository.metadata;
  let { resourceVersion } = repository.metadata;
  const objectOf = (): KubeObject => ({
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    status,
  });
  if (diffOwnedFields(objectOf(), repository, { manager, subresource: "status" }).length === 0) return repository;
  for (let attempt = 1; ; attempt++) {
    try {
      return recordRepository((await hubApi.apply(objectOf(), options)) as Repository);
    } catch (error) {
      if (isStrict || attempt === mostAttempts || !isAppError(error, "E_KUBE_CONFLICT")) throw error;
      const ref = refOf(type, objectOf());
      const live = (await hubApi.get(ref, { signal })) as Repository | undefined;
      if (live === undefined || !hasSameRecords(live, repository))
        throw new AppError("E_KUBE_CONFLICT", `apply ${describeRef(ref)}: its records of removals have changed`, {
          cause: error,
        });
      ({ resourceVersion } = live.metadata);
    }
  }
}

function hasSameRecords(a: Repository, b: Repository): boolean {
  return a.metadata.uid === b.metadata.uid && isJsonEqual(recordsOf(a), recordsOf(b));
}

/** What later removals are measured by. */
function recordsOf({ status }: Repository): unknown[] {
  const { deletions, removing, approvals, appliedCommit, settledCommit, settledFrom, scannedCommit } = status ?? {};
  return [deletions, removing, approvals, appliedCommit, settledCommit, settledFrom, scannedCommit];
}
