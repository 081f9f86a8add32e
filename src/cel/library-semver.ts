import type { CelValue } from "./cel-value.ts";
import { CelError, isKind } from "./cel-value.ts";
import { textOf } from "./library-operators.ts";
import type { Declaration } from "./overload.ts";
import { declare, traversalCost } from "./overload.ts";

const typeName = "kubernetes.Semver";

interface Semver {
  readonly numbers: readonly [bigint, bigint, bigint];
  readonly prerelease: readonly string[];
}

/** A version, or what is wrong with the text. */
function parse(text: string): Semver | string {
  if (text === "") return "Version string empty";
  const parts = /^([^.]*)\.([^.]*)\.([^+-]*)(?:-([^+]*))?(?:\+(.*))?$/su.exec(text);
  if (parts === null) return "No Major.Minor.Patch elements found";
  const prerelease = parts[4]?.split(".") ?? [];
  const build = parts[5]?.split(".") ?? [];
  const numbers = [parts[1] ?? "", parts[2] ?? "", parts[3] ?? ""] as const;
  const fault =
    numbers.map((part, index) => numberFault(part, numberNames[index] ?? "")).find((one) => one !== undefined) ??
    prerelease.map(prereleaseFault).find((one) => one !== undefined) ??
    build.map(buildFault).find((one) => one !== undefined);
  if (fault !== undefined) return fault;
  return { numbers: [BigInt(numbers[0]), BigInt(numbers[1]), BigInt(numbers[2])], prerelease };
}

const largestNumber = 2n ** 64n - 1n;
const mostDigits = 20;
const numberNames = ["major", "minor", "patch"];

function numberFault(part: string, name: string): string | undefined {
  const quoted = JSON.stringify(part);
  if (!/^\d*$/u.test(part)) return `Invalid character(s) found in ${name} number ${quoted}`;
  const title = name.slice(0, 1).toUpperCase() + name.slice(1);
  if (/^0\d/u.test(part)) return `${title} number must not contain leading zeroes ${quoted}`;
  // The time to read digits grows faster than their number.
  if (part.length > mostDigits || (part !== "" && BigInt(part) > largestNumber))
    return `strconv.ParseUint: parsing ${quoted}: value out of range`;
  return part === "" ? `strconv.ParseUint: parsing "": invalid syntax` : undefined;
}

function prereleaseFault(part: string): string | undefined {
  if (part === "") return "Prerelease is empty";
  const quoted = JSON.stringify(part);
  if (/^0\d+$/u.test(part)) return `Numeric PreRelease version must not contain leading zeroes ${quoted}`;
  return /^[0-9A-Za-z-]+$/u.test(part) ? undefined : `Invalid character(s) found in prerelease ${quoted}`;
}

function buildFault(part: string): string | undefined {
  if (part === "") return "Build meta data is empty";
  if (/^[0-9A-Za-z-]+$/u.test(part)) return undefined;
  return `Invalid character(s) found in build meta data ${JSON.stringify(part)}`;
}

/** `v1.2` becomes `1.2.0`; numbers lose leading zeros. */
function normalize(text: string): string {
  const bare = text.startsWith("v") ? text.slice(1) : text;
  const parts = bare.split(".");
  const head = parts.slice(0, 2);
  if (parts.length > 2) head.push(parts.slice(2).join("."));
  const cleaned = head.map((part) => (part.length > 1 ? trimZeros(part) : part));
  if (cleaned.length >= 3) return cleaned.join(".");
  if (/[-+]/u.test(cleaned.at(-1) ?? "")) {
    throw new CelError("short version cannot contain PreRelease/Build meta data");
  }
  while (cleaned.length < 3) cleaned.push("0");
  return cleaned.join(".");
}

function trimZeros(part: string): string {
  const trimmed = part.replace(/^0+/u, "");
  return /^\d/u.test(trimmed) ? trimmed : `0${trimmed}`;
}

function parsed(text: CelValue | undefined, isNormalized: boolean): Semver {
  const version = parse(isNormalized ? normalize(textOf(text)) : textOf(text));
  if (typeof version === "string") throw new CelError(version);
  return version;
}

function isVersion(text: CelValue | undefined, isNormalized: boolean): boolean {
  try {
    parsed(text, isNormalized);
    return true;
  } catch (error) {
    if (error instanceof CelError) return false;
    throw error;
  }
}

function isSemver(payload: unknown): payload is Semver {
  return typeof payload === "object" && payload !== null && "numbers" in payload && "prerelease" in payload;
}

function versionOf(value: CelValue | undefined): Semver {
  if (value !== undefined && isKind(value, "opaque") && isSemver(value.payload)) return value.payload;
  return { numbers: [0n, 0n, 0n], prerelease: [] };
}

function valueOf(payload: Semver): CelValue {
  const length = payload.prerelease.length * charactersPerPart;
  return { kind: "opaque", typeName, payload, length, equals: (other) => compare(payload, versionOf(other)) === 0n };
}

function compare(left: Semver, right: Semver): bigint {
  for (const [index, number] of left.numbers.entries()) {
    const other = right.numbers[index] ?? 0n;
    if (number !== other) return number < other ? -1n : 1n;
  }
  if (left.prerelease.length === 0 || right.prerelease.length === 0) {
    return BigInt(Math.sign(right.prerelease.length - left.prerelease.length));
  }
  for (const [index, part] of left.prerelease.entries()) {
    const other = right.prerelease[index];
    if (other === undefined) return 1n;
    const order = comparePart(part, other);
    if (order !== 0n) return order;
  }
  return left.prerelease.length === right.prerelease.length ? 0n : -1n;
}

/** Numbers come before other text. */
function comparePart(left: string, right: string): bigint {
  const isNumber = (text: string): boolean => /^\d+$/u.test(text);
  if (left === right) return 0n;
  if (isNumber(left) !== isNumber(right)) return isNumber(left) ? -1n : 1n;
  // Numbers have no leading zeros: the longer one is larger.
  const isLess = isNumber(left) && left.length !== right.length ? left.length < right.length : left < right;
  return isLess ? -1n : 1n;
}

const ofText = (values: readonly CelValue[]): number => traversalCost(values[0]);
/** Parts of a version are compared one by one, and an API server takes nothing for them. */
const ofParts = ([left, right]: readonly CelValue[]): number =>
  1 + Math.floor(Math.min(partCountOf(left), partCountOf(right)) / partsPerUnit);
const partCountOf = (value: CelValue | undefined): number => versionOf(value).prerelease.length;
const partsPerUnit = 16;
/** Of a text that takes as long to compare. */
const charactersPerPart = 64;
const order = (left?: CelValue, right?: CelValue): bigint => compare(versionOf(left), versionOf(right));

/** Semantic versions, as Kubernetes adds them. */
export const semverLibrary: readonly Declaration[] = [
  declare(`semver(string): ${typeName}`, (text) => valueOf(parsed(text, false)), ofText),
  declare(`semver(string, bool): ${typeName}`, (text, isLoose) => valueOf(parsed(text, isLoose === true)), ofText),
  declare("isSemver(string): bool", (text) => isVersion(text, false), ofText),
  declare("isSemver(string, bool): bool", (text, isLoose) => isVersion(text, isLoose === true), ofText),
  declare(`${typeName}.isLessThan(${typeName}): bool`, (a, b) => order(a, b) < 0n, ofParts),
  declare(`${typeName}.isGreaterThan(${typeName}): bool`, (a, b) => order(a, b) > 0n, ofParts),
  declare(`${typeName}.compareTo(${typeName}): int`, order, ofParts),
  ...numberNames.map((name, index) =>
    declare(`${typeName}.${name}(): int`, (value) => versionOf(value).numbers[index] ?? 0n),
  ),
];
