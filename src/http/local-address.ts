import { isInBlock, isLoopback } from "./choose-proxy.ts";

/** True for what {@link isLoopback} is true for, and for the addresses of no machine, which systems connect to this one. */
export function isThisMachine(host: string): boolean {
  const bare = bareHost(host);
  return isLoopback(bare) || bare === "0.0.0.0" || bare === "::";
}

/**
 * True for addresses of the own link, where clouds keep the services that provide a machine's credentials, and for such
 * services elsewhere.
 */
export function isLinkLocal(host: string): boolean {
  const bare = bareHost(host);
  return metadataBlocks.some(([block, bits]) => isInBlock(bare, block, bits));
}

/** The own link, also through NAT64; then Amazon (which has one for Pods, too), Google, Oracle; Alibaba, Azure and Oracle. */
const metadataBlocks = [
  ["169.254.0.0", 16],
  ["fe80::", 10],
  ["64:ff9b::a9fe:0", 112],
  ["fd00:ec2::", 32],
  ["fd20:ce::254", 128],
  ["fd00:c1::a9fe:a9fe", 128],
  ["100.100.100.200", 32],
  ["168.63.129.16", 32],
  ["192.0.0.192", 32],
] as const;

/** Without brackets, and an IPv4 address that is written in IPv6 as what it is. */
function bareHost(host: string): string {
  const bare = host.replace(/^\[|\]$/gu, "").toLowerCase();
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/u.exec(bare) ?? [];
  if (high === undefined || low === undefined) return bare.replace(/^::ffff:(?=[\d.]+$)/u, "");
  const bytes = [high, low].flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 0xff]);
  return bytes.join(".");
}
