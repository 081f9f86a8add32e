import { appendAll } from "../core/append-all.ts";
import type { Log } from "../core/log.ts";
import type { GitEngine } from "../git/git.ts";
import type { AllowedSigner } from "../git/signing/allowed-signers.ts";
import { parseAllowedSigners } from "../git/signing/allowed-signers.ts";
import { verifyStretch } from "../git/signing/verify-stretch.ts";
import type { KubeApi } from "../kube/kube.ts";
import { ignoreFileName } from "../manifests/select-files.ts";
import type { Repository } from "../model/generated/repository.ts";
import type { VerifyStretch } from "../review/verify-source.ts";
import { readSecret } from "./read-secret.ts";
import { realClock } from "../system/real-clock.ts";

/**
 * Judges commits by the keys that the Repository names: they are on the hub, and read anew for each look. A line that is
 * none is told once for each version of the Secret. Undefined when the Repository asks for no signatures.
 * @throws E_KUBE_NOT_FOUND when the Secret is not there
 */
export function repositoryVerifier(options: {
  readonly hubApi: KubeApi;
  readonly git: GitEngine;
  readonly log: Log;
}): (repository: Repository) => Promise<VerifyStretch | undefined> {
  const { hubApi, git, log } = options;
  let toldVersion: string | undefined;
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
      if (version === toldVersion) continue;
      for (const { line, message } of parsed.problems)
        log.warn("a line of the allowed signers is not used", { secret: `${namespace}/${name}`, key, line, message });
    }
    toldVersion = version;
    // Whoever may change the list of ignored files could make every protected one disappear.
    const policy = { rules: [verify.paths ? { paths: [...verify.paths, `/${ignoreFileName}`] } : {}] };
    return async (stretch) => {
      const { unverified, commits } = await verifyStretch(git, {
        ...stretch,
        policy,
        signers,
        atMs: realClock.nowMs(),
      });
      const [newest] = commits;
      const reason = newest?.verdict.kind === "refused" ? newest.verdict.message : "another commit made the change";
      return { unverified, reason };
    };
  };
}
