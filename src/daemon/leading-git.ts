import type { GitEngine } from "../git/git.ts";
import type { Term } from "../kube/leading-api.ts";
import { assertLeads } from "../kube/leading-api.ts";

/**
 * The same engine for the work of a leader: each push first checks that the term is current, so that a process that was paused
 * does not push over its successor, which compares with its own last push. Reads continue.
 * @throws the reason of the signal, once the term is over
 */
export function leadingGit(git: GitEngine, term: Term): GitEngine {
  return {
    url: git.url,
    fetchHead: (...args) => git.fetchHead(...args),
    listBranches: (...args) => git.listBranches(...args),
    readCommit: (...args) => git.readCommit(...args),
    readSignature: (...args) => git.readSignature(...args),
    isAncestor: (...args) => git.isAncestor(...args),
    listCommits: (...args) => git.listCommits(...args),
    listFiles: (...args) => git.listFiles(...args),
    changedPaths: (...args) => git.changedPaths(...args),
    readBlob: (...args) => git.readBlob(...args),
    commitAndPush: async (...args) => {
      assertLeads(term);
      return git.commitAndPush(...args);
    },
    moveBranch: async (...args) => {
      assertLeads(term);
      return git.moveBranch(...args);
    },
    deleteBranch: async (...args) => {
      assertLeads(term);
      return git.deleteBranch(...args);
    },
    close: () => git.close(),
  };
}
