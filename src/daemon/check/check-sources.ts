import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { AppError } from "../../core/errors.ts";
import { shortCommit } from "../../core/short-commit.ts";
import { nameBranches } from "../../review/missing-branch.ts";
import type { KubeApi } from "../../kube/kube.ts";
import type { Repository } from "../../model/generated/repository.ts";
import { readText } from "../../system/read-text.ts";
import type { Settings } from "../../settings/settings.ts";
import { openRepository } from "../open-repository.ts";
import { readSecret } from "../read-secret.ts";
import { accessOfFlags, accessOfRepository, forgeAccessOfFlags } from "../wire-git.ts";
import { repositoryForge } from "../wire-forge.ts";
import type { Finding } from "./check-result.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Every file that an option names can be read, and the sops program can be run. @throws E_READ, E_USAGE */
export async function checkFiles(settings: Settings): Promise<Finding> {
  const files = settings.entries.flatMap(({ option, value }) => {
    const isInput = option.value === "file" && option.name !== "config";
    return isInput && typeof value === "string" && value !== "" ? [value] : [];
  });
  for (const file of files) await readText(file);
  const program = settings.text("sops-program");
  if (program === undefined) return { message: files.length === 0 ? "no option names a file" : files.join(", ") };
  try {
    await access(program, constants.X_OK);
  } catch (error) {
    throw new AppError("E_USAGE", `--sops-program: ${program} is no program that this user may run`, { cause: error });
  }
  return { message: [...files, program].join(", ") };
}

/** The Secrets of the daemon's namespace that options name. @throws E_KUBE_NOT_FOUND, E_KUBE_FORBIDDEN */
export async function checkSecrets(hubApi: KubeApi, settings: Settings): Promise<Finding> {
  const namespace = settings.requiredText("namespace");
  const options = ["age-key-secret", "verify-keys-secret", "forge-secret"];
  const names = options.flatMap((option) => settings.text(option) ?? []);
  for (const name of names) await readSecret(hubApi, { namespace, name });
  return { message: names.length === 0 ? "no option names a Secret" : names.join(", ") };
}

/** The repository answers, and has the branch. `hubApi`: undefined where the hub cannot be asked for credentials. */
export async function checkRepository(
  settings: Settings,
  environment: Environment,
  { repository, hubApi, signal }: SourceOptions,
): Promise<Finding> {
  const { url, ref } = repository.spec;
  const flags = accessOfFlags(settings, url, environment);
  const repositoryAccess =
    hubApi === undefined
      ? flags
      : accessOfRepository({ hubApi, url, repository: () => repository, environment, fallback: flags });
  const git = await openRepository(settings, url, environment, repositoryAccess);
  try {
    const branches = await git.listBranches(signal);
    const branch = ref?.branch ?? settings.requiredText("branch");
    const commit = branches.get(branch);
    if (commit !== undefined) return { message: `${git.url} answers, branch ${branch} is at ${shortCommit(commit)}` };
    const others = nameBranches([...branches.keys()]);
    return {
      state: "failed",
      message: `${git.url} answers, and has no branch ${branch}${others === "" ? "" : ` (it has ${others})`}`,
      remedy: "Push the branch, or name another with --branch.",
    };
  } finally {
    await git.close();
  }
}

export interface SourceOptions {
  readonly repository: Repository;
  readonly hubApi: KubeApi | undefined;
  readonly signal: AbortSignal;
}

/** The forge answers with the token of its Secret, or with that of the repository. @throws E_FORGE_* */
export async function checkForge(
  hubApi: KubeApi,
  repository: Repository,
  {
    settings,
    environment,
    signal,
  }: { readonly settings: Settings; readonly environment: Environment; readonly signal: AbortSignal },
): Promise<string> {
  const openFor = repositoryForge(hubApi, environment, forgeAccessOfFlags(settings, repository.spec.url));
  try {
    const forge = await openFor(repository);
    if (forge === undefined) return "no forge is named";
    const baseBranch = repository.spec.ref?.branch ?? "main";
    await forge.listPullRequests({ baseBranch, onCut: () => undefined }, signal);
    return `${forge.provider} answers for ${forge.repository}`;
  } finally {
    await openFor.close();
  }
}
