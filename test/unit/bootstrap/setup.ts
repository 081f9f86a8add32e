import type { BootstrapOptions, BootstrapStep } from "../../../src/bootstrap/bootstrap-options.ts";
import { bootstrap } from "../../../src/bootstrap/bootstrap.ts";
import type { DeployKey, HostedRepository } from "../../../src/forge/repository-host-api.ts";
import type { RepositoryHost } from "../../../src/forge/repository-host.ts";
import type { CommitRequest, GitEngine } from "../../../src/git/git.ts";

export const headCommit = "1".repeat(40);
export const newCommit = "2".repeat(40);

/** A line of known_hosts with a key that no server has. */
export const githubKey = `github.com ssh-ed25519 ${Buffer.from("\0\0\0\x0bssh-ed25519\0\0\0\x20".padEnd(51, "k"), "latin1").toString("base64")}`;

/** A forge, a git server and a folder, whose content the test gives and then reads. */
export function openSetup() {
  const state = {
    repository: undefined as HostedRepository | undefined,
    keys: [] as DeployKey[],
    keyRefusal: undefined as Error | undefined,
    gitRefusal: undefined as Error | undefined,
    /** The paths of the files of each branch with a commit. */
    branches: new Map<string, readonly string[]>(),
    written: new Map<string, string>(),
    commits: [] as Pick<CommitRequest, "branch" | "parent" | "changes" | "committedAtMs">[],
    openedGits: 0,
  };
  const host: RepositoryHost = {
    repository: "acme/Fleet",
    readRepository: () => Promise.resolve(state.repository),
    ensureRepository() {
      const outcome = state.repository === undefined ? "created" : "unchanged";
      state.repository ??= { sshUrl: "git@github.com:acme/fleet.git", defaultBranch: "main", isArchived: false };
      return Promise.resolve({ outcome, repository: state.repository });
    },
    findDeployKey: (publicKey) => Promise.resolve(state.keys.find((key) => key.publicKey === publicKey)),
    addDeployKey(key) {
      if (state.keyRefusal !== undefined) return Promise.reject(state.keyRefusal);
      state.keys.push({ ...key, isWriter: true });
      return Promise.resolve();
    },
    readServerKeys: () => Promise.resolve([githubKey]),
    close: () => Promise.resolve(),
  };
  const git = {
    fetchHead: (branch: string) => Promise.resolve(state.branches.has(branch) ? headCommit : undefined),
    listFiles: () => Promise.resolve((state.branches.get("main") ?? []).map((path) => ({ path }))),
    commitAndPush({ branch, parent, changes, committedAtMs }: CommitRequest) {
      if (state.gitRefusal !== undefined) return Promise.reject(state.gitRefusal);
      state.commits.push({ branch, parent, changes, committedAtMs });
      return Promise.resolve(newCommit);
    },
    close: () => Promise.resolve(void (state.openedGits -= 1)),
  } as unknown as GitEngine;
  const folder = {
    path: "out",
    read: (name: string) => Promise.resolve(state.written.get(name)),
    write: (name: string, text: string) => Promise.resolve(state.written.set(name, text).has(name)),
  };
  const options: BootstrapOptions = {
    url: "https://github.com/acme/fleet",
    branch: "main",
    host,
    access: { kind: "key", knownHosts: undefined },
    openGit: () => Promise.resolve(((state.openedGits += 1), git)),
    files: new Map([
      ["README.md", "fleet\n"],
      ["clusters/README.md", "clusters\n"],
    ]),
    choices: { namespace: "rollcall-system", workspace: "fleet", hubUrl: undefined, image: undefined },
    folder,
    nowMs: 7,
    isDryRun: false,
    signal: new AbortController().signal,
  };
  const run = async (more: Partial<BootstrapOptions> = {}): Promise<BootstrapStep[]> => {
    const steps: BootstrapStep[] = [];
    for await (const step of bootstrap({ ...options, ...more })) steps.push(step);
    return steps;
  };
  return { state, options, git, run };
}

/** `state name: message` of each step. */
export function shown(steps: readonly BootstrapStep[]): string[] {
  return steps.map(({ state, name, message }) => `${state} ${name}: ${message}`);
}
