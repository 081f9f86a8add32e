import { BlockList, isIPv4 } from "node:net";
import type { NameCheck } from "../../core/formats/kube-names.ts";
import { checkSubdomain } from "../../core/formats/kube-names.ts";
import { fitsFormat } from "../../core/formats/named-formats.ts";
import { indexPath, invalid, notSupported, required } from "../schema/field-error.ts";
import type { FieldError } from "../schema/schema.ts";
import { hold } from "./checks.ts";
import { isAddress, plainAddress, withoutLeadingZeros } from "./legacy-addresses.ts";

// Checks of addresses, networks and hosts. Source: Kubernetes, apimachinery util/validation, pkg/apis/core/validation.

export const protocols = ["TCP", "UDP", "SCTP"];

/** One error for a protocol that is none of `supported`, which the message names in its order. */
export function validateProtocol(protocol: string, path: string, supported: readonly string[]): FieldError[] {
  return supported.includes(protocol) ? [] : [notSupported(path, protocol, supported)];
}

export const checkAddress: NameCheck = (text) =>
  isAddress(text) ? [] : ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"];

export const checkCidr: NameCheck = (text) =>
  fitsFormat("cidr", text) ? [] : ["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"];

/** True when the second network lies in the first one, and is smaller. Both are valid; `010.0.0.0` is 10.0.0.0. */
export function isStrictSubset(outer: string, inner: string): boolean {
  const [outerAddress = "", outerBits = ""] = withoutLeadingZeros(outer).split("/");
  const [innerAddress = "", innerBits = ""] = withoutLeadingZeros(inner).split("/");
  const family = isIPv4(outerAddress) ? "ipv4" : "ipv6";
  if (isIPv4(innerAddress) !== (family === "ipv4")) return false;
  const network = new BlockList();
  network.addSubnet(outerAddress, Number(outerBits), family);
  return network.check(innerAddress, family) && Number(outerBits) < Number(innerBits);
}

const reserved: readonly (readonly [network: string, bits: number, text: string])[] = [
  ["127.0.0.0", 8, "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["169.254.0.0", 16, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  ["224.0.0.0", 24, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
];
const reservedIpv6: readonly (readonly [network: string, bits: number, text: string])[] = [
  ["::1", 128, "may not be in the loopback range (127.0.0.0/8, ::1/128)"],
  ["fe80::", 10, "may not be in the link-local range (169.254.0.0/16, fe80::/10)"],
  ["ff02::", 16, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"],
];

/** An address that a Service can send to. The text is an address. */
export function validateTargetAddress(address: string, path: string): FieldError[] {
  const plain = plainAddress(address);
  const family = isIPv4(plain) ? "ipv4" : "ipv6";
  if (plain === "0.0.0.0" || plain === "::") {
    return [invalid(path, address, `may not be unspecified (${address})`)];
  }
  return (family === "ipv6" ? reservedIpv6 : reserved).flatMap(([network, bits, text]) => {
    const range = new BlockList();
    range.addSubnet(network, bits, family);
    return range.check(plain, family) ? [invalid(path, address, text)] : [];
  });
}

const checkWildcardSubdomain: NameCheck = (text) =>
  /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/u.test(text) && text.length <= 253
    ? []
    : [
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      ];

/** A DNS name, which may begin with a star. */
export function checkHost(host: string): readonly string[] {
  return host.includes("*") ? checkWildcardSubdomain(host) : checkSubdomain(host);
}

/** `acme.io/foo` */
export function validateDomainPath(text: string, path: string): FieldError[] {
  if (text === "") return [required(path)];
  const at = text.indexOf("/");
  const [host, rest] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (at <= 0 || rest === "") return [invalid(path, text, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  const hostErrors = hold(checkSubdomain, host, path);
  if (/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/u.test(rest)) return hostErrors;
  const pattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
  return [...hostErrors, invalid(path, rest, `Invalid path (regex used for validation is '${pattern}')`)];
}

/** Errors of each item, by its index. */
export function eachOf<T>(
  items: readonly T[],
  path: string,
  validate: (item: T, path: string, index: number) => FieldError[],
) {
  return items.flatMap((item, index) => validate(item, indexPath(path, index), index));
}
