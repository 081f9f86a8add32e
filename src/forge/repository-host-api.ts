export interface HostedRepository {
  /** Its address for git over ssh, as the forge gives it. */
  readonly sshUrl: string;
  /** Also named where it has no commit; undefined where the answer has none. */
  readonly defaultBranch: string | undefined;
  /** True when it takes no push. */
  readonly isArchived: boolean;
}

export interface DeployKey {
  readonly title: string;
  /** As in a `.pub` file, without the comment: `ssh-ed25519 AAAA...`. */
  readonly publicKey: string;
  /** True when it may push. */
  readonly isWriter: boolean;
}

/** What a forge offers to set up one repository. One call is one request, or the pages of one list. */
export interface RepositoryHostApi {
  /** Undefined when there is none that the token may see. */
  readRepository(signal?: AbortSignal): Promise<HostedRepository | undefined>;
  /** Makes it: private, and without a commit. */
  createRepository(signal?: AbortSignal): Promise<HostedRepository>;
  listDeployKeys(signal?: AbortSignal): Promise<DeployKey[]>;
  /** Adds a key that may push. */
  addDeployKey(key: Pick<DeployKey, "title" | "publicKey">, signal?: AbortSignal): Promise<void>;
  /** The keys of the forge's ssh server (`ssh-ed25519 AAAA...`), where its API has them; otherwise none. */
  readServerKeys(signal?: AbortSignal): Promise<readonly string[]>;
}
