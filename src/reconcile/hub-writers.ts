import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { HubChange } from "../model/hub-change.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import { usersOf } from "../planning/written-by.ts";

/** So long an answer counts. */
const answerMs = 60_000;

/**
 * The users who wrote objects of the hub. What an object says of them counts only where the API server writes it: it is asked
 * first, by a write that is not carried out, and its answer also has the name that this process has there.
 */
export class HubWriters {
  readonly #ports: { readonly hubApi: Pick<KubeApi, "apply">; readonly clock: Clock; readonly log: Log };
  #ownName: string | undefined;
  #askedAtMs = -Infinity;

  constructor(ports: { readonly hubApi: Pick<KubeApi, "apply">; readonly clock: Clock; readonly log: Log }) {
    this.#ports = ports;
  }

  /** The changes with their users, as far as they are known. The user of a deletion never is. */
  async name(changes: readonly HubChange[], signal: AbortSignal): Promise<readonly HubChange[]> {
    const [first] = changes.filter(({ file }) => file.kind !== "Delete");
    if (first === undefined) return changes;
    await this.#ask(first.workspace, signal);
    return changes.map((change) => {
      return change.file.kind === "Delete" ? change : { ...change, users: usersOf(change.live, this.#ownName) };
    });
  }

  /** Once a minute at most. Without an answer no user is known. */
  async #ask(namespace: string, signal: AbortSignal): Promise<void> {
    const { hubApi, clock, log } = this.#ports;
    const nowMs = clock.monotonicMs();
    if (nowMs < this.#askedAtMs + answerMs) return;
    this.#ownName = undefined;
    try {
      const metadata = { name: "rollcall-who-am-i", namespace };
      const probe = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken", metadata, spec: {} };
      const answer = await hubApi.apply(probe, { fieldManager: fieldManagers.hub, isDryRun: true, signal });
      this.#ownName = answer.metadata.annotations?.[annotationKeys.writtenBy]?.split("\n").at(-1);
      this.#askedAtMs = nowMs;
    } catch (error) {
      signal.throwIfAborted();
      log.warn("the hub does not say as which user it knows this process", { error });
    }
  }
}
