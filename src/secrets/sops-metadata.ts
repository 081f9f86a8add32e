import { RE2JS } from "re2js";
import type { JsonObject } from "../core/json.ts";
import { foldedRanges, programSizeOf } from "../core/pattern-cost.ts";
import { isTrueAt, numberAt, objectsAt, textAt } from "../core/read-json.ts";
import { malformed } from "./sops-tree.ts";

export interface AgeKey {
  readonly recipient: string;
  /** The data key, encrypted for the recipient: an armoured age file. */
  readonly encrypted: string;
}

/** The key `sops` of an encrypted document. */
export interface SopsMetadata {
  readonly ageKeys: readonly AgeKey[];
  /** Kinds of keys besides age (`pgp`, `kms`, ...), and groups of keys; only the sops program can use them. */
  readonly otherKeys: readonly string[];
  /** Addresses that the sops program would send credentials to; names of keys that could become part of one, as they are. */
  readonly addresses: readonly string[];
  /** True when a value at this path of keys is encrypted. Source: SOPS, Tree.shouldBeEncrypted. */
  readonly isEncrypted: (path: readonly string[]) => boolean;
  /** True when rules depend on comments, which are not read here. */
  readonly hasCommentRules: boolean;
  /** True when the checksum leaves out what is not encrypted. */
  readonly isMacOnlyEncrypted: boolean;
  readonly mac: string;
  /** What the checksum is bound to. */
  readonly lastModified: string;
}

const otherKinds = ["kms", "gcp_kms", "azure_kv", "hc_vault", "pgp", "hckms"] as const;

/** @throws E_SOPS_FORMAT */
export function readSopsMetadata(sops: JsonObject): SopsMetadata {
  const mac = textAt(sops, "mac") ?? "";
  const lastModified = formatTime(textAt(sops, "lastmodified") ?? "");
  if (mac === "" || lastModified === undefined) throw malformed("sops: has no mac or no lastmodified");
  const groups = objectsAt(sops, "key_groups");
  const holders = [sops, ...groups];
  const otherKeys = [
    ...otherKinds.filter((kind) => holders.some((holder) => objectsAt(holder, kind).length > 0)),
    ...(groups.length > 0 || (numberAt(sops, "shamir_threshold") ?? 0) > 0 ? ["key_groups"] : []),
  ];
  return {
    ageKeys: objectsAt(sops, "age").flatMap((key) => {
      const [recipient, encrypted] = [textAt(key, "recipient"), textAt(key, "enc")];
      return recipient === undefined || encrypted === undefined ? [] : [{ recipient, encrypted }];
    }),
    otherKeys,
    addresses: holders.flatMap((holder) => [
      ...objectsAt(holder, "hc_vault").map((key) => textAt(key, "vault_address") ?? ""),
      ...objectsAt(holder, "azure_kv").map((key) => textAt(key, "vault_url") ?? ""),
      ...unusualNames(holder),
    ]),
    isEncrypted: encryptionRule(sops),
    hasCommentRules: ["unencrypted_comment_regex", "encrypted_comment_regex"].some(
      (name) => (textAt(sops, name) ?? "") !== "",
    ),
    isMacOnlyEncrypted: isTrueAt(sops, "mac_only_encrypted"),
    mac,
    lastModified,
  };
}

/**
 * Clouds make the address of a key service from the region in the name of a key. sops takes any text for a region, so that one
 * with a slash or a dot could lead elsewhere. Source: SOPS, kms/keysource.go and hckms/keysource.go.
 */
function unusualNames(holder: JsonObject): string[] {
  const keys = objectsAt(holder, "kms");
  return [
    ...keys.map((key) => textAt(key, "arn") ?? "").filter((arn) => !keyArn.test(arn)),
    ...keys.flatMap((key) => textAt(key, "role") || []).filter((role) => !roleArn.test(role)),
    ...objectsAt(holder, "hckms")
      .map((key) => textAt(key, "key_id") ?? "")
      .filter((id) => !hckmsKey.test(id)),
  ];
}

const keyArn = /^arn:aws(?:-[a-z]{1,10}){0,3}:kms:[a-z0-9-]{1,40}:[0-9]{1,20}:(?:key|alias)\/[\w/-]{1,300}$/u;
const roleArn = /^arn:aws(?:-[a-z]{1,10}){0,3}:iam::[0-9]{1,20}:role\/[\w+=,.@/-]{1,600}$/u;
const hckmsKey = /^[a-z0-9-]{1,40}:[\w-]{1,100}$/u;

function encryptionRule(sops: JsonObject): (path: readonly string[]) => boolean {
  const unencryptedSuffix = textAt(sops, "unencrypted_suffix") ?? "";
  const encryptedSuffix = textAt(sops, "encrypted_suffix") ?? "";
  const unencryptedRegex = textAt(sops, "unencrypted_regex") ?? "";
  const encryptedRegex = textAt(sops, "encrypted_regex") ?? "";
  const rules = [unencryptedSuffix, encryptedSuffix, unencryptedRegex, encryptedRegex].filter((rule) => rule !== "");
  if (rules.length > 1) throw malformed("sops: has more than one rule of what is encrypted");
  if (encryptedSuffix !== "") return (path) => path.some((key) => key.endsWith(encryptedSuffix));
  if (encryptedRegex !== "") return anyMatches(encryptedRegex);
  if (unencryptedRegex !== "") {
    const isClear = anyMatches(unencryptedRegex);
    return (path) => !isClear(path);
  }
  const suffix = unencryptedSuffix === "" ? "_unencrypted" : unencryptedSuffix;
  return (path) => !path.some((key) => key.endsWith(suffix));
}

/** Steps of a pattern, each an instruction for a character, that all keys of a file may take: some tenths of a second. */
const mostSteps = 5_000_000;
const largestProgram = 5_000;

/**
 * Patterns are RE2 there and here; they come from files and are not trusted. Each key is compared once, however many values
 * are below it: who may push a branch can encrypt a file for the key of the daemon.
 */
function anyMatches(pattern: string): (path: readonly string[]) => boolean {
  if (pattern.length > 1000 || foldedRanges(pattern) > 4 || programSizeOf(pattern) > largestProgram)
    throw malformed("sops: has a pattern that is too large");
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch {
    // What is wrong with it is of no use to a reader: sops wrote it.
    throw malformed("sops: has a pattern that is not valid");
  }
  const programSize = compiled.programSize();
  const known = new Map<string, boolean>();
  let steps = 0;
  return (path) =>
    path.some((key) => {
      const before = known.get(key);
      if (before !== undefined) return before;
      steps += (key.length + 1) * programSize;
      if (steps > mostSteps) throw malformed("sops: has a pattern that takes too long for the keys of this file");
      const isMatch = compiled.matcher(key).find();
      known.set(key, isMatch);
      return isMatch;
    });
}

/** The time as Go formats it again, without fractions of a second; undefined when it is none. */
function formatTime(text: string): string | undefined {
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.\d+)?(Z|[-+]\d{2}:\d{2})$/u.exec(text);
  if (!match) return undefined;
  const [, time = "", zone = ""] = match;
  return `${time}${/^[-+]00:00$/u.test(zone) ? "Z" : zone}`;
}
