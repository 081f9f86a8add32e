import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { KubeApi } from "../kube/kube.ts";
import type { HubChange } from "../model/hub-change.ts";
import { annotationKeys, fieldManagers } from "../model/well-known.ts";
import { unnamedUser } from "../model/hub-writer-policy.ts";
import { writersOf } from "../planning/written-by.ts";

/** So long an answer counts. */
const answerMs = 60_000;

/**
 * The users who changed objects of the hub. The users that an object records count only where the API server writes them: a
 * dry-run write checks this first, and its answer also has the name that this process has there.
 *
 * This process may write other fields of an object while a change of it waits. So the users of a waiting change are kept, and
 * where an earlier writer may have had a part in it, the list of users has `?`, too.
 */
export class HubWriters {
  readonly #ports: { readonly hubApi: Pick<KubeApi, "apply">; readonly clock: Clock; readonly log: Log };
  #ownName: string | undefined;
  #askedAtMs = -Infinity;
  /** The users of each change that waited at the last check; undefined before the first one, and after one without an answer. */
  #waiting: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(ports: { readonly hubApi: Pick<KubeApi, "apply">; readonly clock: Clock; readonly log: Log }) {
    this.#ports = ports;
  }

  /** The changes with their users, as far as they are known. The user of a deletion never is. */
  async name(changes: readonly HubChange[], signal: AbortSignal): Promise<readonly HubChange[]> {
    const written = changes.filter(({ file }) => file.kind !== "Delete");
    const [first] = written;
    if (first !== undefined && !(await this.#ask(first.workspace, signal))) {
      this.#waiting = undefined;
      return changes;
    }
    const waiting = new Map(written.map((change) => [idOf(change), this.#usersOf(change)]));
    this.#waiting = waiting;
    return changes.map((change) => {
      const users = change.file.kind === "Delete" ? [] : (waiting.get(idOf(change)) ?? []);
      return users.some((user) => user !== unnamedUser) ? { ...change, users } : change;
    });
  }

  /** With `?` where another user may have had a part in the change. */
  #usersOf(change: HubChange): readonly string[] {
    const ownName = this.#ownName;
    const found = ownName === undefined ? undefined : writersOf(change.live, ownName);
    if (found === undefined) return [unnamedUser];
    const { users, beforeCount } = found;
    // What no file has is of all who wrote it.
    if (change.file.kind === "Create") return users;
    const earlier = this.#waiting?.get(idOf(change)) ?? [];
    const place = users.findIndex((user) => earlier.includes(user));
    const later = users.slice(Math.min(beforeCount ?? 0, place < 0 ? users.length : place));
    // For a change that waited before this check it is unknown whether this process wrote meanwhile.
    const isNew = earlier.length === 0 && this.#waiting !== undefined && change.isReverted !== true;
    const mayBeOfOthers = beforeCount === undefined || (beforeCount > 0 && earlier.length === 0 && !isNew);
    const doubt = mayBeOfOthers || later.length === 0 ? [unnamedUser] : [];
    return [...new Set([...doubt, ...earlier, ...later])];
  }

  /** Once a minute at most. False without an answer: then no user is known. */
  async #ask(namespace: string, signal: AbortSignal): Promise<boolean> {
    const { hubApi, clock, log } = this.#ports;
    const nowMs = clock.monotonicMs();
    if (nowMs < this.#askedAtMs + answerMs) return true;
    this.#ownName = undefined;
    try {
      // An object of that name may have any text there. What is sent is no name, so a name is the API server's.
      const annotations = { [annotationKeys.writtenBy]: "" };
      const metadata = { name: "rollcall-who-am-i", namespace, annotations };
      const probe = { apiVersion: "rollcall.dev/v1alpha1", kind: "ClusterRegistrationToken", metadata, spec: {} };
      const answer = await hubApi.apply(probe, { fieldManager: fieldManagers.hub, isDryRun: true, signal });
      const text = answer.metadata.annotations?.[annotationKeys.writtenBy] ?? "";
      this.#ownName = text === "" ? undefined : text.split("\n").at(-1);
      this.#askedAtMs = nowMs;
      return true;
    } catch (error) {
      signal.throwIfAborted();
      log.warn("the hub does not report the user name of this process", { error });
      return false;
    }
  }
}

function idOf({ live, object }: HubChange): string {
  return `${object} ${live.metadata.uid ?? ""}`;
}
