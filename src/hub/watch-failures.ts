import type { Clock } from "../core/clock.ts";
import { isAppError } from "../core/errors.ts";
import { FailureLog } from "../core/failure-log.ts";
import type { Log } from "../core/log.ts";
import type { KubeCacheOptions } from "../kube/kube.ts";
import type { ResourceType } from "../model/kubernetes.ts";

/**
 * Logs the failures of all watches of a hub. A hub that cannot be reached is one failure, however many kinds are watched in
 * however many workspaces; any other failure is one of its watch.
 */
export class WatchFailures {
  readonly #log: Log;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #unreachable: FailureLog;

  /** `unreachableLog`: where it is logged that the hub cannot be reached, if other watches do not log it already. */
  constructor(log: Log, clock: Pick<Clock, "monotonicMs">, unreachableLog = log) {
    this.#log = log;
    this.#clock = clock;
    const [failed, recovered] = ["the hub cannot be reached", "the hub is reached again"];
    this.#unreachable = new FailureLog({ log: unreachableLog, clock, failed, recovered });
  }

  /** The options of a cache whose failures are logged; a list is the end of one. */
  loggedOptions(type: ResourceType, options: KubeCacheOptions): KubeCacheOptions {
    const { namespace, onListing, onError } = options;
    const own = new FailureLog({
      log: this.#log,
      clock: this.#clock,
      failed: "watching a kind failed",
      recovered: "a kind is watched again",
      fields: { kind: type.kind, ...(namespace === undefined ? {} : { namespace }) },
    });
    return {
      ...options,
      onError: (error) => {
        (isAppError(error, "E_KUBE_UNREACHABLE") ? this.#unreachable : own).failed(error);
        onError?.(error);
      },
      onListing: () => {
        const onListed = onListing?.();
        return () => {
          this.#unreachable.recovered();
          own.recovered();
          onListed?.();
        };
      },
    };
  }
}
