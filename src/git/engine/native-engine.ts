import { join } from "node:path";
import type { Random } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { AppErrorOptions } from "../../core/errors.ts";
import { cleanRemoteText } from "../../core/remote-text.ts";
import { branchesOf, branchPrefix, branchRef } from "../branch-name.ts";
import { openBorrowedObjects, withBorrowed } from "./borrowed-objects.ts";
import { lockFolder } from "../local/folder-lock.ts";
import { makeCopyWork } from "./copy-work.ts";
import { fetchRepairing } from "./fetch-repairing.ts";
import type { Damage } from "./fetch-repairing.ts";
import { fetchingIntoCopy } from "./fetching-into-copy.ts";
import type { BranchMove, CommitRequest, GitEngine } from "../git.ts";
import type { HttpTransportOptions } from "../wire/http-transport.ts";
import { locateRepository } from "../local/local-repository.ts";
import { openNativeCopy } from "./native-copy.ts";
import type { NativeCopy } from "./native-copy.ts";
import type { ObjectReader } from "../objects/git-object.ts";
import type { NativeObjects } from "./native-objects.ts";
import { makeNativeGit } from "./native-git.ts";
import type { ProcessLimits } from "./native-git.ts";
import { makeNativeHttpRemote } from "./native-http-remote.ts";
import { makeCommandRemote } from "./native-remote.ts";
import type { NativeRemote } from "./native-remote.ts";
import { expectedHead, prepareCommit, readRepository } from "../objects/read-repository.ts";
import type { RemoteAddress } from "../wire/remote-url.ts";
import { isLetIn, prepareSsh, removeSshFiles, sshTargetOf } from "./ssh-access.ts";
import type { SshCredentials } from "./ssh-access.ts";
import { isUnreachable, sshRefusal, withoutAdvice } from "./ssh-refusal.ts";
import { watchDamage } from "../local/watch-damage.ts";

export interface NativeEngineOptions extends Omit<HttpTransportOptions, "url"> {
  readonly address: RemoteAddress;
  /** A folder of this engine's own; its content is disposable. */
  readonly cacheDir: string;
  readonly random: Random;
  /** For ssh: the key and known hosts, or how to read them, asked before every use. */
  readonly ssh?: SshCredentials | (() => Promise<SshCredentials>);
  /** Where `git` and `ssh` are searched for, like PATH. Default /usr/local/bin:/usr/bin:/bin. */
  readonly searchPath?: string;
  /** What a process of git may take. */
  readonly processLimits?: ProcessLimits;
  /** See {@link readRepository}. */
  readonly maximumEntries?: number;
}

/**
 * The engine on native git, with a bare copy of its own: for ssh, for SHA-256 ids and for very large repositories. No
 * hook, filter, alias or configuration of the machine, the user or the repository plays a part.
 * @throws E_DIR_LOCKED; E_UNSUPPORTED without git; E_GIT_REMOTE when a folder is no repository
 */
export async function openNativeEngine(options: NativeEngineOptions): Promise<GitEngine> {
  const { address, cacheDir, random, searchPath } = options;
  const release = await lockFolder(cacheDir, random);
  try {
    const git = makeNativeGit({
      folder: cacheDir,
      protocol: "file",
      ...(searchPath === undefined ? {} : { searchPath }),
    });
    const copy = await openNativeCopy({ folder: cacheDir, url: address.url, git, random });
    const remote = await openRemote(options);
    // Of a folder, any commit may be asked for, as the engine without native git reads it.
    const borrowed =
      address.kind === "local"
        ? openBorrowedObjects({ git, folder: cacheDir, repository: await locateRepository(address.path) })
        : undefined;
    return createEngine(options, { copy, remote, borrowed, release });
  } catch (error) {
    await release();
    throw error;
  }
}

interface NativeParts {
  readonly copy: NativeCopy;
  readonly remote: NativeRemote;
  /** What the copy does not have and can be read all the same. */
  readonly borrowed: NativeObjects | undefined;
  /** Gives back the lock of the copy's folder. */
  readonly release: () => Promise<void>;
}

/** The engine on a copy and the remote it is a copy of. */
function createEngine(
  { address: { url }, maximumEntries }: NativeEngineOptions,
  { copy, remote, borrowed, release }: NativeParts,
): GitEngine {
  const work = makeCopyWork();
  const damage: Damage = { isFound: false };
  const objects = watchDamage(copy.objects, () => (damage.isFound = true));

  const fetchHead = fetchingIntoCopy({ copy, remote, objects, work, damage });

  return {
    url,
    ...readRepository(borrowed ? withBorrowed(objects, { copy, borrowed }) : objects, maximumEntries),
    fetchHead: async (branch, signal) => {
      const ref = branchRef(branch);
      const recordDamage = (): void => void (damage.isFound = true);
      return work.inOrder(ref, () => fetchRepairing(() => fetchHead(ref, signal), recordDamage));
    },
    listBranches: (signal) => work.run(async () => branchesOf(await remote.readRefs(branchPrefix, signal))),
    commitAndPush: (request) => work.run(() => commitAndPush({ copy, remote, objects }, request)),
    moveBranch: (move) => work.run(() => moveBranch({ copy, remote }, move)),
    deleteBranch: (branch, expected, signal) =>
      work.run(() => deleteBranch({ copy, remote }, { branch, expected }, signal)),
    close: async () => {
      await remote.close();
      await work.whenIdle();
      await copy.close();
      await borrowed?.stop();
      await release();
    },
  };
}

async function commitAndPush(
  {
    copy,
    remote,
    objects,
  }: { readonly copy: NativeCopy; readonly remote: NativeRemote; readonly objects: ObjectReader },
  request: CommitRequest,
): Promise<string> {
  const ref = branchRef(request.branch);
  const { parent, signal } = request;
  if (!copy.isThere()) await copy.prepare((await remote.readRef(ref, signal)).format);
  const prepared = await prepareCommit(objects, request);
  if (!prepared) return parent ?? "";
  await copy.writeObjects(prepared.objects);
  const push = { ref, oldId: expectedHead(request), newId: prepared.id, objects: prepared.objects };
  await remote.push({ ...push, gitDir: copy.gitDir, ...(signal ? { signal } : {}) });
  await copy.writeHead(ref, prepared.id);
  return prepared.id;
}

async function moveBranch(
  { copy, remote }: { readonly copy: NativeCopy; readonly remote: NativeRemote },
  { branch, from, to, signal }: BranchMove,
): Promise<void> {
  if (from === to) return;
  const ref = branchRef(branch);
  const push = { ref, oldId: from, newId: to, objects: [], gitDir: copy.gitDir };
  await remote.push({ ...push, ...(signal ? { signal } : {}) });
  await copy.writeHead(ref, to);
}

async function deleteBranch(
  { copy, remote }: { readonly copy: NativeCopy; readonly remote: NativeRemote },
  { branch, expected }: { readonly branch: string; readonly expected: string },
  signal: AbortSignal | undefined,
): Promise<void> {
  const ref = branchRef(branch);
  const { gitDir } = copy;
  const { id, format } = await remote.readRef(ref, signal);
  if (id === undefined) return;
  if (!copy.isThere()) await copy.prepare(format);
  const push = { ref, oldId: expected, newId: undefined, objects: [], gitDir };
  await remote.push({ ...push, ...(signal ? { signal } : {}) });
}

async function openRemote(options: NativeEngineOptions): Promise<NativeRemote> {
  const { address, cacheDir: folder } = options;
  switch (address.kind) {
    case "http":
      return makeNativeHttpRemote({ ...options, folder, url: address.url });
    case "local":
      return openLocalRemote(options, address.url, address.path);
    case "ssh":
      return openSshRemote(options, address.url);
  }
}

async function openLocalRemote(options: NativeEngineOptions, url: string, path: string): Promise<NativeRemote> {
  const { cacheDir: folder, searchPath, processLimits: limits } = options;
  const { format } = await locateRepository(path);
  const search = searchPath === undefined ? {} : { searchPath };
  const git = makeNativeGit({ folder, protocol: "file", ...search, ...(limits ? { limits } : {}) });
  return makeCommandRemote({
    address: path,
    url,
    emptyFormat: format,
    isLocal: true,
    openGit: async () => git,
    explain: async ({ errorText }) => readFailure(url, cleanRemoteText(withoutAdvice(errorText), { secrets: [] })),
  });
}

function readFailure(url: string, words: string, options?: AppErrorOptions): AppError {
  return new AppError("E_GIT_REMOTE", `read ${url}: ${words || "the connection ended without a reason"}`, options);
}

function openSshRemote(options: NativeEngineOptions, url: string): NativeRemote {
  const { cacheDir: folder, searchPath, ssh, random, processLimits: limits, timeouts } = options;
  const sshFolder = join(folder, "ssh");
  const search = { ...(searchPath === undefined ? {} : { searchPath }), ...(limits ? { limits } : {}) };
  const readCommand = async (): Promise<string> => {
    const credentials = typeof ssh === "function" ? await ssh() : ssh;
    return prepareSsh(sshFolder, credentials ?? { identity: "", knownHosts: "" }, random);
  };
  const remote = makeCommandRemote({
    address: url,
    url,
    isLocal: false,
    responseMs: timeouts?.responseMs,
    openGit: async () => makeNativeGit({ folder, protocol: "ssh", sshCommand: await readCommand(), ...search }),
    explain: async ({ errorText }, signal) => {
      const refusal = sshRefusal(url, errorText);
      if (refusal) return refusal;
      const session = { target: sshTargetOf(url), ...search, ...(signal ? { signal } : {}) };
      const isIn = !isUnreachable(errorText) && (await isLetIn({ ...session, sshCommand: await readCommand() }));
      return readFailure(url, cleanRemoteText(withoutAdvice(errorText), { secrets: [] }), {
        recovery: isIn ? "stalled" : "transient",
        data: { reason: isIn ? "repository" : "unreachable" },
      });
    },
  });
  return { ...remote, close: () => removeSshFiles(sshFolder) };
}
