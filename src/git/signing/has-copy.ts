import type { GitEngine } from "../git.ts";

type Reader = Pick<GitEngine, "readCommit" | "readSignature" | "listCommits">;

/**
 * Whether another commit that `tip` reaches is the same but for the form of its signature: anybody can write a signature in
 * another form, which makes a commit of another name. It names the same parents, so it is among what came after them.
 */
export async function hasCopy(git: Reader, id: string, tip: string): Promise<boolean> {
  const { treeId, parents } = await git.readCommit(id);
  const signature = await git.readSignature(id);
  if (signature === undefined) return false;
  const [from] = parents;
  const range = from === undefined ? {} : { from };
  for (const other of await git.listCommits({ ...range, to: tip, limit: Infinity, isBrief: true })) {
    if (other.id === id || other.treeId !== treeId || other.parents.join(" ") !== parents.join(" ")) continue;
    const payload = (await git.readSignature(other.id))?.payload;
    if (payload !== undefined && Buffer.compare(payload, signature.payload) === 0) return true;
  }
  return false;
}
