import { AppError, isAppError } from "../core/errors.ts";
import type { BootstrapOptions, BootstrapStep, GitSecret } from "./bootstrap-options.ts";
import { deployKeyOf, gitSecretFile } from "./git-secret.ts";

/**
 * Gives the repository the key of a Secret, with the right to push: the daemon writes the status branch.
 * `isKnown`: the repository and the key are of an earlier run, so that the forge may have the key.
 * @throws E_FORGE_REFUSED when the key is there and may only read
 */
export async function ensureDeployKey(
  { host, folder, isDryRun, signal }: BootstrapOptions,
  { secret, isKnown }: { readonly secret: GitSecret; readonly isKnown: boolean },
): Promise<BootstrapStep> {
  const publicKey = deployKeyOf(secret, folder);
  // Some forges want a title of its own for each key.
  const title = `rollcall ${publicKey.slice(-8)}`;
  const step = { name: "deploy key", message: title } as const;
  const planned = { ...step, state: "planned", message: "a new key, with the right to push" } as const;
  // What a dry run makes is kept nowhere: a server that got this key would have one without a private part.
  if (isDryRun && !isKnown) return planned;
  if (host === undefined) {
    const message = "add it to the git server, with the right to push";
    return { ...step, state: "unchanged", message, details: [publicKey] };
  }
  const found = isKnown ? await host.findDeployKey(publicKey, signal) : undefined;
  if (found?.isWriter === false) {
    const message = `use deploy key ${found.title} of ${host.repository}: it may only read`;
    const remedy =
      "Delete the key at the forge, and run the same command again: it adds the key with the right to push.";
    throw new AppError("E_FORGE_REFUSED", `${message}; delete it at the forge`, { remedy });
  }
  if (found) return { ...step, state: "unchanged", message: found.title };
  if (isDryRun) return planned;
  try {
    await host.addDeployKey({ title, publicKey }, signal);
  } catch (error) {
    throw isAppError(error, "E_FORGE_REFUSED") ? keyRefused(error, folder) : error;
  }
  return { ...step, state: "created" };
}

/** Forges take a key once: not the one of a user, and GitHub none of another repository. */
function keyRefused(error: AppError, { path }: BootstrapOptions["folder"]): AppError {
  const remedy = `If the key is in use elsewhere, delete ${path}/${gitSecretFile} or name another --dir: the next run makes a new key.`;
  return new AppError(error.code, error.message, { cause: error, data: error.data, remedy });
}
