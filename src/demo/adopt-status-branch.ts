import type { GitEngine } from "../git/git.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { Repository } from "../model/generated/repository.ts";
import { resourceTypes } from "../model/resource-types.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";

export interface AdoptionOptions {
  readonly hubApi: KubeApi;
  readonly git: Pick<GitEngine, "fetchHead">;
  /** Of the Repository. */
  readonly namespace: string;
  readonly name: string;
  /** The status branch. */
  readonly branch: string;
  readonly signal: AbortSignal;
}

/**
 * Has the demo's hub take its status branch over, as a person does: a former hub of the demo's folder wrote it, and no process
 * but this one uses that folder. Writes nothing where this hub wrote the head itself.
 */
export async function adoptStatusBranch(options: AdoptionOptions): Promise<void> {
  const { hubApi, git, namespace, name, branch, signal } = options;
  const ref = { type: resourceTypes.repository, namespace, name };
  const head = await git.fetchHead(branch, signal);
  const live = (await hubApi.get(ref, { signal })) as Repository | undefined;
  if (head === undefined || live?.status?.statusCommit === head) return;
  const body = { metadata: { annotations: { [annotationKeys.adopt]: head } } };
  await hubApi.mergePatch(ref, body, { fieldManager: fieldManagers.operator, signal });
}
