import { memoizeWeak } from "../core/memoize-weak.ts";
import type { CelOpaque, CelValue } from "./cel-value.ts";
import { CelError, celList, celMap, isKind, noSuchOverload } from "./cel-value.ts";
import type { Address, Network } from "./ip-address.ts";
import { containsAddress, formatAddress, maskAddress, parseAddress, parseNetwork } from "./ip-address.ts";
import { textOf } from "./library-operators.ts";
import type { Declaration } from "./overload.ts";
import { declare, traversalCost } from "./overload.ts";
import type { UrlParts } from "./url-parts.ts";
import { parseUrl } from "./url-parts.ts";

const ipType = "net.IP";
const cidrType = "net.CIDR";
const urlType = "kubernetes.URL";

function isAddress(payload: unknown): payload is Address {
  return typeof payload === "object" && payload !== null && "value" in payload && "family" in payload;
}

function isNetwork(payload: unknown): payload is Network {
  return typeof payload === "object" && payload !== null && "prefixLength" in payload && "address" in payload;
}

function opaque(typeName: string, payload: unknown, text: string): CelOpaque {
  return {
    kind: "opaque",
    typeName,
    payload,
    length: text.length,
    equals: (other) => textOfOpaque(other) === text,
  };
}

function textOfOpaque({ payload }: CelOpaque): string {
  if (isNetwork(payload)) return `${formatAddress(payload.address)}/${payload.prefixLength}`;
  if (isAddress(payload)) return formatAddress(payload);
  return isUrl(payload) ? payload.text : "";
}

function addressOf(value: CelValue | undefined): Address {
  if (value !== undefined && isKind(value, "opaque") && isAddress(value.payload)) return value.payload;
  throw new CelError(noSuchOverload);
}

function networkOf(value: CelValue | undefined): Network {
  if (value !== undefined && isKind(value, "opaque") && isNetwork(value.payload)) return value.payload;
  throw new CelError(noSuchOverload);
}

function ip(text: string): CelOpaque {
  const address = parseAddress(text);
  if (typeof address === "string") throw new CelError(address);
  return fromAddress(address);
}

function cidr(text: string): CelOpaque {
  const network = parseNetwork(text);
  if (typeof network === "string") {
    throw new CelError(() => `network address parse error during conversion from string: ${network}`);
  }
  return fromNetwork(network);
}

function fromAddress(address: Address): CelOpaque {
  return opaque(ipType, address, formatAddress(address));
}

function fromNetwork(network: Network): CelOpaque {
  return opaque(cidrType, network, `${formatAddress(network.address)}/${network.prefixLength}`);
}

function isIn(address: Address, network: string): boolean {
  const parsed = parseNetwork(network);
  return typeof parsed !== "string" && containsAddress(parsed, address);
}

const ofText = (values: readonly CelValue[]): number => traversalCost(values[0]);
const ofSecond = (values: readonly CelValue[]): number => Math.max(1, traversalCost(values[1]));

const ipLibrary: readonly Declaration[] = [
  declare(`ip(string): ${ipType}`, (text) => ip(textOf(text)), ofText),
  declare("isIP(string): bool", (text) => typeof parseAddress(textOf(text)) !== "string", ofText),
  declare("ip.isCanonical(string): bool", (text) => textOfOpaque(ip(textOf(text))) === textOf(text), ofText),
  declare(`${ipType}.family(): int`, (value) => BigInt(addressOf(value).family)),
  declare(`${ipType}.isUnspecified(): bool`, (value) => addressOf(value).value === 0n),
  declare(
    `${ipType}.isLoopback(): bool`,
    (value) => isIn(addressOf(value), "127.0.0.0/8") || isIn(addressOf(value), "::1/128"),
  ),
  declare(
    `${ipType}.isLinkLocalMulticast(): bool`,
    (value) => isIn(addressOf(value), "224.0.0.0/24") || isMulticastOfScope(addressOf(value), 2n),
  ),
  declare(
    `${ipType}.isLinkLocalUnicast(): bool`,
    (value) => isIn(addressOf(value), "169.254.0.0/16") || isIn(addressOf(value), "fe80::/10"),
  ),
  declare(`${ipType}.isGlobalUnicast(): bool`, (value) => isGlobalUnicast(addressOf(value))),
  declare(`string(${ipType}): string`, (value) => formatAddress(addressOf(value))),
];

/** Of IPv6, whatever its flags are: `ff02::1` and `ff12::1` are of scope 2, the link. */
function isMulticastOfScope({ family, value }: Address, scope: bigint): boolean {
  return family === 6 && ((value >> 112n) & 0xff0fn) === (0xff00n | scope);
}

function isGlobalUnicast(address: Address): boolean {
  const others = [
    "127.0.0.0/8",
    "::1/128",
    "224.0.0.0/4",
    "ff00::/8",
    "169.254.0.0/16",
    "fe80::/10",
    "255.255.255.255/32",
  ];
  return address.value !== 0n && !others.some((network) => isIn(address, network));
}

/** What is no address counts as no text that the function takes. */
function givenAddress(text: string): Address {
  const address = parseAddress(text);
  if (typeof address === "string") throw new CelError(noSuchOverload);
  return address;
}

const cidrLibrary: readonly Declaration[] = [
  declare(`cidr(string): ${cidrType}`, (text) => cidr(textOf(text)), ofText),
  declare("isCIDR(string): bool", (text) => typeof parseNetwork(textOf(text)) !== "string", ofText),
  declare(`${cidrType}.containsIP(${ipType}): bool`, (value, address) =>
    containsAddress(networkOf(value), addressOf(address)),
  ),
  declare(
    `${cidrType}.containsIP(string): bool`,
    (value, text) => containsAddress(networkOf(value), givenAddress(textOf(text))),
    ofSecond,
  ),
  declare(`${cidrType}.containsCIDR(${cidrType}): bool`, (value, other) => containsNetwork(value, networkOf(other))),
  declare(
    `${cidrType}.containsCIDR(string): bool`,
    (value, text) => containsNetwork(value, networkOf(cidr(textOf(text)))),
    ofSecond,
  ),
  declare(`${cidrType}.ip(): ${ipType}`, (value) => fromAddress(networkOf(value).address)),
  declare(`${cidrType}.prefixLength(): int`, (value) => BigInt(networkOf(value).prefixLength)),
  declare(`${cidrType}.masked(): ${cidrType}`, (value) => {
    const network = networkOf(value);
    return fromNetwork({ ...network, address: maskAddress(network) });
  }),
  declare(`string(${cidrType}): string`, (value) => {
    const { address, prefixLength } = networkOf(value);
    return `${formatAddress(address)}/${prefixLength}`;
  }),
];

function containsNetwork(value: CelValue | undefined, other: Network): boolean {
  const network = networkOf(value);
  return other.prefixLength >= network.prefixLength && containsAddress(network, other.address);
}

function isUrl(payload: unknown): payload is UrlParts {
  return typeof payload === "object" && payload !== null && "escapedPath" in payload;
}

function urlOf(value: CelValue | undefined): UrlParts {
  if (value !== undefined && isKind(value, "opaque") && isUrl(value.payload)) return value.payload;
  throw new CelError(noSuchOverload);
}

function url(text: string): CelOpaque {
  const parts = parseUrl(text);
  if (typeof parts === "string") throw new CelError(`URL parse error during conversion from string: ${parts}`);
  return opaque(urlType, parts, text);
}

const queryOf = memoizeWeak(({ query }: UrlParts): CelValue =>
  celMap([...query].map(([key, values]) => [key, celList(values)] as const)),
);

const urlLibrary: readonly Declaration[] = [
  declare(`url(string): ${urlType}`, (text) => url(textOf(text)), ofText),
  declare("isURL(string): bool", (text) => typeof parseUrl(textOf(text)) !== "string", ofText),
  declare(`${urlType}.getScheme(): string`, (value) => urlOf(value).scheme),
  declare(`${urlType}.getHost(): string`, (value) => urlOf(value).host),
  declare(`${urlType}.getHostname(): string`, (value) => urlOf(value).hostname),
  declare(`${urlType}.getPort(): string`, (value) => urlOf(value).port),
  declare(`${urlType}.getEscapedPath(): string`, (value) => urlOf(value).escapedPath),
  declare(`${urlType}.getQuery(): map<string, list<string>>`, (value) => queryOf(urlOf(value))),
];

export const networkLibrary: readonly Declaration[] = [...ipLibrary, ...cidrLibrary, ...urlLibrary];
