import type { Credential } from "./hub-link.ts";

/** Asks, by the given credential, for the successor of credential `number`. */
export type RenewOnce = (number: number, by: Credential) => Promise<void>;

/**
 * Sends one request at a time: two at once would answer each other away. A caller that waited for another request sends none if
 * that has brought a credential: the hub would issue one more, and its answer, once lost, is not asked for again.
 */
export function createRenewOnce(numberInUse: () => number, renew: (by: Credential) => Promise<void>): RenewOnce {
  let renewing: Promise<void> | undefined;
  return async (number, by) => {
    while (renewing !== undefined) await renewing.catch(() => undefined); // the caller that began it gets the error
    if (numberInUse() !== number) return;
    renewing = renew(by).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
}
