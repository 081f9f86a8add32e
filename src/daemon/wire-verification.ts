import { appendAll } from "../core/append-all.ts";
import type { Log } from "../core/log.ts";
import type { GitEngine } from "../git/git.ts";
import type { AllowedSigner } from "../git/signing/allowed-signers.ts";
import { parseAllowedSigners } from "../git/signing/allowed-signers.ts";
import { hasCopy } from "../git/signing/has-copy.ts";
import { isValidAt, verifySignature } from "../git/signing/verify-commit.ts";
import { verifyRange } from "../git/signing/verify-range.ts";
import { isVouchedForm } from "../git/signing/vouched-form.ts";
import type { KubeApi } from "../kube/kube.ts";
import { ignoreFileName } from "../manifests/select-files.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { CommitVerifier, RangeResult } from "../review/verify-source.ts";
import { readSecret } from "./read-secret.ts";
import { realClock } from "../system/real-clock.ts";

/** Ranges of commits whose result is remembered. */
const mostResults = 500;

/**
 * Evaluates commits by the keys that the Repository names: they are on the hub, and read again each time. An invalid
 * line is logged once for each version of the Secret. The result for a range of commits is kept until the keys, the
 * protected paths or the validity of a key change: a head that is not verified costs no work in each run. Undefined
 * when the Repository asks for no signatures.
 * @throws E_KUBE_NOT_FOUND when the Secret does not exist
 */
export function repositoryVerifier(options: {
  readonly hubApi: KubeApi;
  readonly git: GitEngine;
  readonly log: Log;
}): (repository: Repository) => Promise<CommitVerifier | undefined> {
  const { hubApi, git, log } = options;
  let reportedVersion: string | undefined;
  let results = new Map<string, RangeResult>();
  let resultsContext: string | undefined;
  return async ({ metadata, spec }) => {
    const { verify } = spec;
    if (!verify) return undefined;
    const { namespace = "" } = metadata;
    const { name } = verify.keysSecretRef;
    const { version, entries } = await readSecret(hubApi, { namespace, name });
    const signers: AllowedSigner[] = [];
    for (const [key, text] of entries) {
      const parsed = parseAllowedSigners(text);
      appendAll(signers, parsed.signers);
      if (version === reportedVersion) continue;
      for (const { line, message } of parsed.problems)
        log.warn("a line of the allowed signers is not used", { secret: `${namespace}/${name}`, key, line, message });
    }
    reportedVersion = version;
    // A change of the list of ignored files could hide every protected one.
    const policy = { rules: [verify.paths ? { paths: [...verify.paths, `/${ignoreFileName}`] } : {}] };
    const isSigned = async (commit: string, tip: string): Promise<boolean> =>
      verifySignature(await git.readSignature(commit), signers, realClock.nowMs()).kind === "verified" &&
      !(await hasCopy(git, commit, tip));
    const evaluate: CommitVerifier["verify"] = async (range) => {
      const context = JSON.stringify([version, policy, signers.map((signer) => isValidAt(signer, realClock.nowMs()))]);
      if (context !== resultsContext) results = new Map();
      resultsContext = context;
      // Of this context alone: another may come while commits are read.
      const remembered = results;
      const key = `${range.base ?? ""} ${range.head}`;
      const known = remembered.get(key);
      if (known) return known;
      const { unverified, commits } = await verifyRange(git, {
        ...range,
        policy,
        signers,
        atMs: realClock.nowMs(),
      });
      const [newest] = commits;
      const reason = newest?.result.kind === "refused" ? newest.result.message : "another commit made the change";
      const signed = new Set(commits.filter(({ result: { kind } }) => kind === "verified").map(({ id }) => id));
      const result = { unverified, reason, signed };
      if (remembered.size >= mostResults) remembered.clear();
      remembered.set(key, result);
      return result;
    };
    const isVouched = (commit: string, path: string): Promise<boolean> =>
      isVouchedForm(git, { commit, path, policy, signers, atMs: realClock.nowMs() });
    return { verify: evaluate, isSigned, isVouched };
  };
}
