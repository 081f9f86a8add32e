import { matchesPatternList } from "./allowed-signers.ts";
import type { AllowedSigner } from "./allowed-signers.ts";
import { parseCommit, parseCommitSignature } from "../objects/commit-format.ts";
import type { CommitSignature } from "../git.ts";
import { parseSshPublicKey } from "./ssh-public-key.ts";
import { parseSshSignature } from "./ssh-signature.ts";

/** What is known of a commit's signature. */
export type CommitResult =
  | {
      readonly kind: "verified";
      /** The first name that the list has for the key. */
      readonly principal: string;
      /** All of them, of every line that counts now. */
      readonly principals: readonly string[];
      /** `SHA256:...` of the key. */
      readonly fingerprint: string;
    }
  | { readonly kind: "refused"; readonly reason: RefusalReason; readonly message: string };

/**
 * - `unsigned`: there is no signature.
 * - `unsupported`: signed in a way that is not supported (OpenPGP, X.509, certificates, SHA-1).
 * - `malformed`: signature, key or commit cannot be read.
 * - `weak-key`: the key is too short or of a broken algorithm.
 * - `wrong-namespace`: the key's owner signed something else than a commit.
 * - `unknown-key`: the key is not listed.
 * - `not-allowed`: it is listed, but not for git.
 * - `outside-validity`: it is listed, but not for this time.
 * - `bad-signature`: it is listed, and did not make this signature for this commit.
 */
export type RefusalReason =
  | "unsigned"
  | "unsupported"
  | "malformed"
  | "weak-key"
  | "wrong-namespace"
  | "unknown-key"
  | "not-allowed"
  | "outside-validity"
  | "bad-signature";

const gitNamespace = "git";

/**
 * Verifies a commit's signature over the very bytes of the commit (without the signature) against the allowed signers at
 * a time. Give the time at which the commit was first seen here: the commit's own dates are the signer's to choose.
 * Never throws.
 */
export function verifySignature(
  signature: CommitSignature | undefined,
  signers: readonly AllowedSigner[],
  atMs: number,
): CommitResult {
  if (signature === undefined) return refused("unsigned", "the commit is not signed");
  const other = otherFormat(signature.armoured);
  if (other !== undefined)
    return refused("unsupported", `signatures by ${other} are not supported; sign with an SSH key`);
  const parsed = parseSshSignature(signature.armoured);
  if (parsed === undefined) return refused("malformed", "the signature cannot be read");
  if (parsed.namespace !== gitNamespace) {
    return refused(
      "wrong-namespace",
      `the signature is for ${JSON.stringify(parsed.namespace.slice(0, 40))}, not for git`,
    );
  }
  const key = parseSshPublicKey(parsed.keyBlob);
  if (key.kind === "refused") {
    const reasons = {
      malformed: "malformed",
      weak: "weak-key",
      certificate: "unsupported",
      unsupported: "unsupported",
    } as const;
    return refused(reasons[key.reason], `the signer's key is refused: ${key.message}`);
  }
  const { fingerprint } = key.key;
  const listed = signers.filter((signer) => signer.key.blob.equals(parsed.keyBlob));
  if (listed.length === 0) return refused("unknown-key", `the key ${fingerprint} is not one of the allowed signers`);
  const forGit = listed.filter(
    ({ namespaces }) => namespaces === undefined || matchesPatternList(namespaces, gitNamespace),
  );
  if (forGit.length === 0) return refused("not-allowed", `the key ${fingerprint} is not listed for the namespace git`);
  const valid = forGit.filter((candidate) => isValidAt(candidate, atMs));
  if (valid.length === 0) return refused("outside-validity", `the key ${fingerprint} is not valid at this time`);
  switch (key.key.verify(parsed.signedData(signature.payload), parsed.signatureBlob)) {
    case "good": {
      // A key may be in several lines, such as one for each role of its owner.
      const principals = [...new Set(valid.flatMap((signer) => signer.principals))];
      return { kind: "verified", principal: principals[0] ?? fingerprint, principals, fingerprint };
    }
    case "bad":
      return refused("bad-signature", `the signature by ${fingerprint} is not for this commit`);
    case "malformed":
      return refused("malformed", `the signature by ${fingerprint} cannot be read`);
    case "unsupported":
      return refused("unsupported", `the signature by ${fingerprint} is of an algorithm that is not accepted`);
  }
}

/**
 * The same for a commit object's raw content, as git stores it. Signed is all of it but its signature headers, so the
 * tree that is applied is the tree that was signed.
 */
export function verifyCommit(rawCommit: Uint8Array, signers: readonly AllowedSigner[], atMs: number): CommitResult {
  let signature: CommitSignature | undefined;
  try {
    signature = parseCommitSignature("given", rawCommit);
    // What is signed is the commit without its signature headers: its other headers and its message are the same bytes.
    parseCommit("given", rawCommit);
  } catch {
    // E_GIT_OBJECT: nothing more is known.
    return refused("malformed", "the commit cannot be read");
  }
  return verifySignature(signature, signers, atMs);
}

/** True when signatures of this key count at that time. */
export function isValidAt({ validAfterMs, validBeforeMs }: AllowedSigner, atMs: number): boolean {
  return (validAfterMs === undefined || atMs >= validAfterMs) && (validBeforeMs === undefined || atMs <= validBeforeMs);
}

function otherFormat(armoured: string): string | undefined {
  const first = armoured.trimStart().slice(0, 40);
  if (/^-----BEGIN PGP (?:SIGNATURE|MESSAGE)/u.test(first)) return "OpenPGP";
  return first.startsWith("-----BEGIN SIGNED MESSAGE") || first.startsWith("-----BEGIN PKCS7") ? "X.509" : undefined;
}

function refused(reason: RefusalReason, message: string): CommitResult {
  return { kind: "refused", reason, message };
}
