import { isIP } from "node:net";
import type { NetworkInterfaceInfo } from "node:os";
import { validateTargetAddress } from "../validation/checks-network.ts";

type Interfaces = Readonly<
  Record<string, readonly Pick<NetworkInterfaceInfo, "address" | "family" | "internal">[] | undefined>
>;

/**
 * The address by which programs on other machines reach a hub that listens on `host`: that address, or for all addresses
 * the first one of the machine. Undefined when it listens on its own machine only, and for a name.
 */
export function advertisedAddress(host: string, interfaces: Interfaces): string | undefined {
  const family = host === "0.0.0.0" ? "IPv4" : host === "::" ? undefined : "none";
  const candidates =
    family === "none"
      ? [host]
      : Object.values(interfaces)
          .flatMap((addresses = []) => addresses)
          .filter((one) => !one.internal && (family === undefined || one.family === family))
          .map(({ address }) => address);
  return candidates.find((address) => isIP(address) !== 0 && validateTargetAddress(address, "").length === 0);
}
