import { isIPv4, isIPv6 } from "node:net";
import { fitsFormat } from "../../core/formats/named-formats.ts";

// Addresses in forms that kube-apiserver takes from old clients. Source: Kubernetes, apimachinery util/validation/ip.go.

/** An address as kube-apiserver has always taken it: with leading zeros, and without a zone. */
export function isAddress(text: string): boolean {
  return fitsFormat("ipv4", text) || (isIPv6(text) && !text.includes("%"));
}

/** `010.0.0.9` and `::ffff:10.0.0.9` are 10.0.0.9, `FE80:0::1` is fe80::1. The text is an address. */
export function plainAddress(text: string): string {
  if (!text.includes(":")) return withoutLeadingZeros(text);
  const short = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [high = "", low = ""] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/u.exec(short)?.slice(1) ?? [];
  return high === "" ? short : [high, low].flatMap(twoBytes).join(".");
}

function twoBytes(text: string): readonly number[] {
  const value = Number.parseInt(text, 16);
  return [value >> 8, value & 255];
}

/** Addresses of IPv4 may have them where kube-apiserver took them from the start, and are decimal nevertheless. */
export function withoutLeadingZeros(text: string): string {
  if (text.includes(":")) return text;
  return text
    .split(".")
    .map((part) => part.replace(/^0+(?=\d)/u, ""))
    .join(".");
}

/** True for an address of IPv6 that is none of IPv4 in another form. */
export function isOfIpv6(address: string): boolean {
  return isAddress(address) && plainAddress(address).includes(":");
}

/** Of a field that takes old forms. A text that is no address has an error instead. */
export function warnOfAddress(address: string, path: string): string[] {
  if (!isAddress(address)) return [];
  const plain = plainAddress(address);
  if (plain === address) return [];
  return isIPv4(plain)
    ? [
        `${path}: non-standard IP address ${JSON.stringify(address)} will be considered invalid in a future Kubernetes ` +
          `release: use ${JSON.stringify(plain)}`,
      ]
    : [
        `${path}: IPv6 address ${JSON.stringify(address)} should be in RFC 5952 canonical format (${JSON.stringify(plain)})`,
      ];
}

/** The same of a network. Bits after its length are for an address of an interface. */
export function warnOfCidr(cidr: string, path: string): string[] {
  if (!fitsFormat("cidr", cidr)) return [];
  const [address = "", bits = ""] = cidr.split("/");
  const isLong = address.includes(":");
  const plain = plainAddress(address);
  const network = networkOf(address, Number(bits));
  const quoted = JSON.stringify(cidr);
  const warnings: string[] = [];
  if (!network.startsWith(`${plain}/`)) {
    const choices = [network, `${plain}/${isLong ? 128 : 32}`].map((text) => JSON.stringify(text)).join(" or ");
    warnings.push(`${path}: CIDR value ${quoted} is ambiguous in this context (should be ${choices}?)`);
  }
  const isMapped = isLong && isIPv4(plain);
  if (isMapped || (!isLong && plain !== address) || bits !== String(Number(bits))) {
    const advice = `will be considered invalid in a future Kubernetes release: use ${JSON.stringify(network)}`;
    warnings.push(`${path}: non-standard CIDR value ${quoted} ${advice}`);
  }
  if (warnings.length > 0 || !isLong || network === cidr) return warnings;
  return [`${path}: IPv6 CIDR value ${quoted} should be in RFC 5952 canonical format (${JSON.stringify(network)})`];
}

/** The network of an address of an interface, as Go prints it. */
function networkOf(address: string, bits: number): string {
  const isLong = address.includes(":");
  const [width, partBits] = isLong ? [128, 16] : [32, 8];
  const zeroBits = BigInt(width - bits);
  const masked = (numberOf(address) >> zeroBits) << zeroBits;
  const parts = Array.from({ length: width / partBits }, (_, index) => {
    const part = (masked >> BigInt(width - partBits * (index + 1))) & ((1n << BigInt(partBits)) - 1n);
    return part.toString(isLong ? 16 : 10);
  });
  const first = plainAddress(parts.join(isLong ? ":" : "."));
  return `${first}/${isLong && isIPv4(first) ? bits - 96 : bits}`;
}

function numberOf(address: string): bigint {
  if (!address.includes(":")) return address.split(".").reduce((sum, part) => sum * 256n + BigInt(Number(part)), 0n);
  const [head = "", tail = ""] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const [first, last] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => "0");
  return [...first, ...zeros, ...last].reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
}
