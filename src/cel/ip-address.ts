import { isIPv4, isIPv6 } from "node:net";

export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export interface Network {
  /** As it was written: host bits may be set. */
  readonly address: Address;
  readonly prefixLength: number;
}

/** The address of a text, or why Kubernetes takes none from it. */
export function parseAddress(text: string): Address | string {
  const quoted = JSON.stringify(text);
  const address = readAddress(text);
  if (typeof address === "string") return `IP Address ${quoted} parse error during conversion from string: ${address}`;
  if (text.includes("%")) return `IP address ${quoted} with zone value is not allowed`;
  if (isMapped(address)) return `IPv4-mapped IPv6 address ${quoted} is not allowed`;
  return address;
}

function isMapped({ family, value }: Address): boolean {
  return family === 6 && value >> 32n === 0xffffn;
}

/** The address of a text, or why Go finds none in it. */
function readAddress(text: string): Address | string {
  const fail = (reason: string): string => `ParseAddr(${JSON.stringify(text)}): ${reason}`;
  if (isIPv4(text)) return { family: 4, value: text.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n) };
  const [plain = "", zone] = text.split("%");
  if (isIPv6(plain) && zone !== "") return { family: 6, value: parseIpv6(plain) };
  const first = /[.:%]/u.exec(text)?.[0];
  return fail(first === "." ? faultOfIpv4(text) : "unable to parse IP");
}

function faultOfIpv4(text: string): string {
  const parts = text.split(".");
  const misfit = /[^\d.]/u.exec(text);
  if (misfit !== null) return `unexpected character (at ${JSON.stringify(text.slice(misfit.index))})`;
  if (parts.some((part) => /^0\d/u.test(part))) return "IPv4 field has octet with leading zero";
  if (parts.some((part) => Number(part) > 255)) return "IPv4 field has value >255";
  if (parts.includes("")) return `IPv4 field must have at least one digit (at ${JSON.stringify(text)})`;
  return parts.length < 4 ? "IPv4 address too short" : "IPv4 address too long";
}

function parseIpv6(text: string): bigint {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/u.exec(text);
  const plain = dotted === null ? text : `${dotted[1]}${embedIpv4(dotted[2] ?? "")}`;
  const [head = "", tail] = plain.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const missing = tail === undefined ? 0 : 8 - left.length - right.length;
  const groups = [...left, ...Array.from({ length: missing }, () => "0"), ...right];
  return groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n);
}

function embedIpv4(text: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** The shortest usual form. */
export function formatAddress({ family, value }: Address): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 255n)).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => Number((value >> BigInt(112 - 16 * index)) & 65_535n));
  let best = { start: -1, length: 1 };
  for (let start = 0; start < 8; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  const hex = groups.map((group) => group.toString(16));
  if (best.start < 0) return hex.join(":");
  return `${hex.slice(0, best.start).join(":")}::${hex.slice(best.start + best.length).join(":")}`;
}

/** The network of a text, or why Kubernetes takes none from it. */
export function parseNetwork(text: string): Network | string {
  const fail = (reason: string): string =>
    `network address parse error during conversion from string: netip.ParsePrefix(${JSON.stringify(text)}): ${reason}`;
  const slash = text.lastIndexOf("/");
  if (slash < 0) return fail("no '/'");
  const bits = text.slice(slash + 1);
  const address = readAddress(text.slice(0, slash));
  if (typeof address === "string") return fail(address);
  if (text.includes("%")) return fail("IPv6 zones cannot be present in a prefix");
  if (!/^(?:0|[1-9]\d{0,2})$/u.test(bits)) return fail(`bad bits after slash: ${JSON.stringify(bits)}`);
  if (Number(bits) > (address.family === 4 ? 32 : 128)) return fail("prefix length out of range");
  if (isMapped(address)) return `IPv4-mapped IPv6 address ${JSON.stringify(text)} is not allowed`;
  return { address, prefixLength: Number(bits) };
}

function maskOf({ address, prefixLength }: Network): bigint {
  const size = address.family === 4 ? 32 : 128;
  const host = BigInt(size - prefixLength);
  return ((1n << BigInt(size)) - 1n) ^ ((1n << host) - 1n);
}

/** The first address of a network. */
export function maskAddress(network: Network): Address {
  return { family: network.address.family, value: network.address.value & maskOf(network) };
}

export function containsAddress(network: Network, address: Address): boolean {
  if (network.address.family !== address.family) return false;
  return (address.value & maskOf(network)) === maskAddress(network).value;
}
