import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { AppError } from "../core/errors.ts";

/**
 * Resolves names as the system does, and fails with E_KUBECONFIG where an address of a name is refused: a name does not show
 * where it leads. Node.js asks no lookup for what is an address already.
 */
export function guardedLookup(isRefused: (address: string) => boolean, refusal: string): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      const addresses = error ? [] : [address].flat().map((one) => (typeof one === "string" ? one : one.address));
      if (!addresses.some(isRefused)) return callback(error, address, family);
      callback(new AppError("E_KUBECONFIG", `the kubeconfig cannot be used: ${refusal}`), "");
    });
  };
}
