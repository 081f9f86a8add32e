import { AppError, isAppError } from "../core/errors.ts";
import type { GitReader, TreeFile } from "../git/git.ts";
import { readYaml } from "../manifests/read-yaml.ts";
import { toTime } from "../planning/conditions.ts";
import { readStatusSignature, signaturePath } from "../planning/status-signature.ts";

/** The status branch as it is found. */
export interface FoundBranch {
  readonly branch: string;
  readonly head: string;
  readonly committedAtMs: number;
  readonly files: readonly TreeFile[];
}

/** The hub that is about to write. */
export interface StatusOwner {
  readonly hubId: string;
  /** `<namespace>.<name>` of the Repository. */
  readonly repository: string;
  /** The commit at which a person had this hub take the branch over; another one counts for nothing. */
  readonly adopted: string | undefined;
}

const maximumBytes = 4096;

/**
 * The status branch belongs to the hub that its signature names, also where a person changed other files. A key proves
 * nothing more: who may push to the branch may sign with one of their own. A branch without a signature is free.
 * @throws E_OWNED_ELSEWHERE when it is another hub's
 */
export async function refuseOtherHub(
  git: GitReader,
  { branch, head, committedAtMs, files }: FoundBranch,
  { hubId, repository, adopted }: StatusOwner,
): Promise<void> {
  if (adopted === head) return;
  const file = files.find(({ path, mode }) => path === signaturePath && mode === "file");
  const hub = file && (await readHub(git, file));
  if (hub === undefined || hub === hubId) return;
  const dot = repository.indexOf(".");
  const object = `repository.rollcall.dev/${repository.slice(dot + 1)}`;
  const annotate = `kubectl annotate ${object} --namespace ${repository.slice(0, dot)} --overwrite rollcall.dev/adopt=${head}`;
  throw new AppError(
    "E_OWNED_ELSEWHERE",
    `write branch ${branch}: at its head ${head} of ${toTime(committedAtMs)} it belongs to hub ${hub}, and this hub is ${hubId}`,
    {
      remedy: `Give this hub a branch of its own in spec.writeBack.branch (--write-back-branch). If the other hub no longer exists, take the branch over at this commit: ${annotate}`,
    },
  );
}

/** Undefined where it is no signature. */
async function readHub(git: GitReader, { blobId }: TreeFile): Promise<string | undefined> {
  try {
    const text = new TextDecoder().decode(await git.readBlob(blobId, { maximumBytes }));
    const hub = readStatusSignature(readYaml(text).documents[0]?.value)?.hub ?? "";
    return /^sha256:[0-9a-f]{64}$/u.test(hub) ? hub : undefined;
  } catch (error) {
    if (isAppError(error, "E_FILE_TOO_LARGE")) return undefined;
    throw error;
  }
}
