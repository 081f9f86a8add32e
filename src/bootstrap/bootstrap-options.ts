import type { RepositoryHost } from "../forge/repository-host.ts";
import type { GitEngine } from "../git/git.ts";

/** What one step found or did. */
export interface BootstrapStep {
  readonly name: "repository" | "secret" | "deploy key" | "commit" | "values";
  /** `planned`: by a dry run, which changes nothing. */
  readonly state: "created" | "unchanged" | "planned";
  /** One line for people, without a full stop; never a secret. */
  readonly message: string;
  readonly details?: readonly string[];
}

/** A folder of this machine that gets the files of the installation. */
export interface OutputFolder {
  /** For messages. */
  readonly path: string;
  /** Undefined when there is no such file. */
  read(name: string): Promise<string | undefined>;
  /** Writes a new file that only this user may read, whole or not at all. False: one of this name is there, and stays. */
  write(name: string, text: string): Promise<boolean>;
}

/** How the daemon reaches the repository: by a deploy key that is made here, or by a token that a person made for it. */
export type DaemonAccess =
  | { readonly kind: "key"; readonly knownHosts: string | undefined }
  | { readonly kind: "token"; readonly token: string };

/** The Secret that the daemon reads the repository with: a deploy key and the keys of the ssh server, or a token. */
export interface GitSecret {
  readonly identity?: string;
  readonly knownHosts?: string;
  readonly token?: string;
}

/** What a person chooses for the installation on the hub. */
export interface InstallationChoices {
  /** Namespace of the daemon. */
  readonly namespace: string;
  /** Namespace of clusters and tokens. */
  readonly workspace: string;
  /** What agents dial; undefined: it is set later. */
  readonly hubUrl: string | undefined;
  /** With the registry, and a tag or digest; undefined: as in the chart. */
  readonly image: string | undefined;
}

export interface BootstrapOptions {
  /** The address of the repository. */
  readonly url: string;
  readonly branch: string;
  /** The forge that hosts it; undefined for a git server, where the repository is there already. */
  readonly host: RepositoryHost | undefined;
  readonly access: DaemonAccess;
  /** Opens the repository for the first commit; `secret` has the deploy key, for a git server that is reached by ssh. */
  readonly openGit: (secret: GitSecret | undefined) => Promise<GitEngine>;
  /** The files of the first commit, by path. */
  readonly files: ReadonlyMap<string, string>;
  readonly choices: InstallationChoices;
  readonly folder: OutputFolder;
  /** The time of the commit. */
  readonly nowMs: number;
  readonly isDryRun: boolean;
  readonly signal: AbortSignal;
}
