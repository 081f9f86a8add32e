// bootstrap: what `rollcall bootstrap` sets up: a repository at a forge, a deploy key, the first commit, and the files that
// the daemon is installed with. Each step checks what exists and does what is missing: a run after a failure resumes.
import { AppError } from "../core/errors.ts";
import { textAt } from "../core/read-json.ts";
import { readYamlDocument } from "../core/yaml/read-document.ts";
import { repositoryPath } from "../forge/forge-address.ts";
import type { HostedRepository } from "../forge/repository-host-api.ts";
import { sshTargetOf } from "../git/engine/ssh-access.ts";
import type { BootstrapOptions, BootstrapStep, GitSecret } from "./bootstrap-options.ts";
import { ensureDeployKey } from "./ensure-deploy-key.ts";
import { ensureFirstCommit } from "./first-commit.ts";
import {
  gitSecretFile,
  makeGitSecret,
  printGitSecret,
  readGitSecret,
  refuseOtherAccess,
  repositoryOfSecret,
} from "./git-secret.ts";
import { printValues, valuesFile } from "./installation-values.ts";
import { readServerKeys, refuseOtherServer, serverKeyLines } from "./server-keys.ts";

/** Where the repository is; `sshUrl` is undefined for one that a dry run would make. */
interface FoundRepository {
  readonly isThere: boolean;
  readonly sshUrl: string | undefined;
  readonly defaultBranch?: string | undefined;
  readonly step: BootstrapStep | undefined;
}

/**
 * Sets up the repository, and yields each step as it is done. The private key is on the disk before its public part is at the
 * forge: no run leaves a key there whose private part is lost.
 * @throws E_USAGE before the forge gets a key; E_DIR_LOCKED when another run wrote the Secret meanwhile, before the forge gets a
 * key; otherwise what the forge or git throws, and what is done until then stays
 */
export async function* bootstrap(options: BootstrapOptions): AsyncGenerator<BootstrapStep> {
  const { access, choices, folder, host, isDryRun } = options;
  const found = await readGitSecret(folder, choices.namespace);
  if (found) refuseOtherAccess(found, access, folder);
  await refuseOtherRepository(options);
  const serverKeys = found || access.kind === "token" ? [] : await readServerKeys(options, access);

  const { isThere, sshUrl, defaultBranch, step } = await ensureRepository(options);
  if (step) yield step;
  const url = access.kind === "token" ? options.url : sshUrl;

  const knownHosts = serverKeyLines(serverKeys, sshTargetOf(url ?? ""));
  const secret = found ?? makeGitSecret(access, knownHosts);
  if (access.kind === "key" && url !== undefined) {
    const place = found === undefined ? "--known-hosts-file" : `known_hosts in ${folder.path}/${gitSecretFile}`;
    refuseOtherServer(secret.knownHosts ?? "", sshTargetOf(url), place);
  }
  yield await keepSecret(options, secret, found !== undefined);
  if (access.kind === "key") yield await ensureDeployKey(options, { secret, isKnown: isThere && found !== undefined });
  // A git server does not know the key that a dry run made.
  const isReached = isThere && (found !== undefined || !isDryRun || host !== undefined || access.kind === "token");
  yield await ensureFirstCommit(options, { secret, isThere: isReached, defaultBranch });
  yield await keepValues(options, url ?? "(the ssh address that the forge gives)");
}

async function ensureRepository({ host, url, isDryRun, signal }: BootstrapOptions): Promise<FoundRepository> {
  if (host === undefined) return { isThere: true, sshUrl: url, step: undefined };
  const name = "repository";
  if (!isDryRun) {
    const { outcome: state, repository } = await host.ensureRepository(signal);
    refuseArchived(repository, host.repository);
    const message = state === "created" ? `${host.repository}, private` : host.repository;
    return { isThere: true, ...repository, step: { name, state, message } };
  }
  const there = await host.readRepository(signal);
  refuseArchived(there, host.repository);
  const step = { name, state: there === undefined ? "planned" : "unchanged", message: host.repository } as const;
  const { sshUrl, defaultBranch } = there ?? {};
  return { isThere: there !== undefined, sshUrl, defaultBranch, step };
}

function refuseArchived(repository: HostedRepository | undefined, name: string): void {
  if (repository?.isArchived !== true) return;
  throw new AppError("E_FORGE_REFUSED", `use repository ${name}: it is archived, and takes no commit`, {
    remedy: "Take it out of the archive at the forge, or name another repository.",
  });
}

/**
 * A deploy key may push to one repository, and the daemon is installed for the one that the values name, and for their branch. A
 * run that was stopped may have left the key alone.
 */
async function refuseOtherRepository(options: BootstrapOptions): Promise<void> {
  const { folder, branch } = options;
  const { value } = readYamlDocument((await folder.read(valuesFile)) ?? "");
  const name = nameOf(options)?.toLowerCase();
  const files = { [gitSecretFile]: await repositoryOfSecret(folder), [valuesFile]: textAt(value, "options", "repo") };
  for (const [file, address = ""] of Object.entries(files)) {
    const kept = repositoryPath(address)?.toLowerCase();
    // A forge may be below a path.
    if (kept === undefined || name === undefined || kept === name || kept.endsWith(`/${name}`)) continue;
    const what = `${folder.path}/${file} is for repository ${kept}, not ${name}`;
    throw new AppError("E_USAGE", `${what}: name another --dir, or write the new address there`);
  }
  const keptBranch = textAt(value, "options", "branch") ?? branch;
  if (keptBranch === branch) return;
  const what = `${folder.path}/${valuesFile} is for branch ${keptBranch}, not ${branch}`;
  throw new AppError("E_USAGE", `${what}: give --branch ${keptBranch}, or write the new branch there`);
}

function nameOf({ host, url }: BootstrapOptions): string | undefined {
  return host?.repository ?? repositoryPath(url);
}

async function keepSecret(options: BootstrapOptions, secret: GitSecret, isFound: boolean): Promise<BootstrapStep> {
  const { folder, choices, isDryRun, url } = options;
  const message = `${folder.path}/${gitSecretFile}`;
  if (isFound) return { name: "secret", state: "unchanged", message };
  if (isDryRun) return { name: "secret", state: "planned", message };
  if (await folder.write(gitSecretFile, printGitSecret(secret, choices.namespace, url)))
    return { name: "secret", state: "created", message };
  // The key of that run is the one that counts; the forge does not know this one.
  throw new AppError("E_DIR_LOCKED", `${message} was written by another run meanwhile`, {
    remedy: "Wait until that run has ended, and run the same command again: it continues with that key.",
  });
}

/** A file of values that is there may have a person's changes, and is kept. */
async function keepValues(options: BootstrapOptions, url: string): Promise<BootstrapStep> {
  const { folder, isDryRun } = options;
  const text = printValues(url, options);
  const there = await folder.read(valuesFile);
  const step = { name: "values", message: `${folder.path}/${valuesFile}` } as const;
  if (there === text) return { ...step, state: "unchanged" };
  if (there !== undefined) {
    return { ...step, state: "unchanged", details: ["it differs from what this run would write, and is kept"] };
  }
  if (isDryRun) return { ...step, state: "planned", details: text.trimEnd().split("\n") };
  const isCreated = await folder.write(valuesFile, text);
  return { ...step, state: isCreated ? "created" : "unchanged" };
}
