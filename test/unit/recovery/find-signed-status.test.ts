import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/digest.ts";
import { AppError } from "../../../src/core/errors.ts";
import type { Commit, GitReader } from "../../../src/git/git.ts";
import { toYamlFile } from "../../../src/planning/render-status.ts";
import { checksumLine, signStatus } from "../../../src/planning/status-signature.ts";
import { findSignedStatus } from "../../../src/recovery/find-signed-status.ts";
import { makeTrustKey } from "../../support/trust-key.ts";

const [present, earlier, stranger] = [makeTrustKey(), makeTrustKey(), makeTrustKey()];
const publicOf = (pem: string) => createPublicKey(createPrivateKey(pem));
const [hub, repository] = ["sha256:hub", "rollcall.fleet"];
const checksums = checksumLine("clusters/fleet/a.yaml", sha256Hex("a"));

interface Status {
  /** The key that signed it. Default: none did. */
  readonly by?: string;
  /** What the signature has in place of what is true. */
  readonly claims?: {
    readonly hub?: string;
    readonly repository?: string;
    readonly parent?: string | undefined;
    readonly digest?: string;
  };
  /** The files as they are now, in place of those that were signed. */
  readonly checksums?: string | undefined;
  readonly signature?: string;
  readonly isMerge?: boolean;
}

/** A status branch with these commits, the oldest first: `c1`, `c2`, ... */
function branchOf(commits: readonly Status[]): {
  readonly git: GitReader;
  readonly head: string;
  readonly read: string[];
} {
  const read: string[] = [];
  const idOf = (index: number): string | undefined => (index < 0 ? undefined : `c${index + 1}`);
  const indexOf = (id: string): number => Number(id.slice(1)) - 1;
  const files = new Map<string, string>();
  for (const [index, { by, claims = {}, signature, ...more }] of commits.entries()) {
    const id = idOf(index) ?? "";
    const sealed = {
      hub,
      repository,
      epoch: index + 1,
      parent: idOf(index - 1),
      digest: sha256Hex(checksums),
      ...claims,
    };
    if (by !== undefined) {
      const signed = signStatus(sealed, (payload) => sign(null, payload, createPrivateKey(by)));
      files.set(`${id} signature.yaml`, signature ?? toYamlFile(signed).content);
    }
    const text = "checksums" in more ? more.checksums : checksums;
    if (text !== undefined) files.set(`${id} SHA256SUMS`, text);
  }
  const git = {
    readCommit: async (id: string): Promise<Commit> => {
      read.push(id);
      const index = indexOf(id);
      const parents = [idOf(index - 1) ?? [], commits[index]?.isMerge === true ? "other" : []].flat();
      return { id, parents, treeId: "t", author: { name: "", email: "" }, committedAtMs: 0, message: "" };
    },
    listFiles: async (id: string, [path = ""]: readonly string[] = []) =>
      files.has(`${id} ${path}`) ? [{ path, mode: "file", blobId: `${id} ${path}` }] : [],
    readBlob: async (blobId: string, { maximumBytes = Infinity } = {}) => {
      const text = files.get(blobId) ?? "";
      if (text.length > maximumBytes) throw new AppError("E_FILE_TOO_LARGE", "too large");
      return Buffer.from(text);
    },
  } as unknown as GitReader;
  return { git, head: idOf(commits.length - 1) ?? "", read };
}

async function find(commits: readonly Status[], more: { readonly maximumCommits?: number } = {}) {
  const { git, head, read } = branchOf(commits);
  const keys = { publicKey: publicOf(present), earlierKeys: [publicOf(earlier)] };
  return { found: await findSignedStatus({ git, head, ...keys, hubId: hub, repository, ...more }), read };
}

describe("findSignedStatus", () => {
  it("is the head where the hub signed it, with its epoch and the checksums of its files", async () => {
    const { found, read } = await find([{}, { by: present }]);
    expect(found).toEqual({
      kind: "signed",
      commit: "c2",
      epoch: 2,
      isOfEarlierKey: false,
      checksums: new Map([["clusters/fleet/a.yaml", sha256Hex("a")]]),
    });
    expect(read).toEqual(["c2"]);
  });

  it("is the newest signed commit below those of other authors", async () => {
    const { found } = await find([{ by: present }, { by: present }, {}, {}]);
    expect(found).toMatchObject({ kind: "signed", commit: "c2" });
  });

  it("prefers one of the present key to a newer one of a key that it replaced", async () => {
    const { found } = await find([{ by: present }, { by: earlier }, { by: earlier }]);
    expect(found).toMatchObject({ commit: "c1", isOfEarlierKey: false });
  });

  it("is the newest of an earlier key where the present one has signed nothing", async () => {
    const { found } = await find([{ by: earlier }, { by: earlier }, {}]);
    expect(found).toMatchObject({ commit: "c2", isOfEarlierKey: true });
  });

  it.each<{ what: string; commit: Status; reason: string }>([
    { what: "nothing is signed", commit: {}, reason: "unsigned" },
    { what: "another key signed it", commit: { by: stranger }, reason: "altered" },
    {
      what: "its checksums are not those that were signed",
      commit: { by: present, checksums: "x" },
      reason: "altered",
    },
    { what: "it has no checksums", commit: { by: present, checksums: undefined }, reason: "altered" },
    {
      what: "its signature is of another parent",
      commit: { by: present, claims: { parent: "c9" } },
      reason: "altered",
    },
    {
      what: "its signature is no document of that kind",
      commit: { by: present, signature: "a: b" },
      reason: "altered",
    },
    { what: "another hub signed it", commit: { by: present, claims: { hub: "sha256:x" } }, reason: "other-hub" },
    {
      what: "it is of another Repository",
      commit: { by: present, claims: { repository: "x.y" } },
      reason: "other-repository",
    },
    { what: "it is a merge", commit: { by: present, isMerge: true }, reason: "merge" },
  ])("finds none where $what: $reason", async ({ commit, reason }) => {
    expect((await find([{}, commit])).found).toEqual({ kind: "none", reason });
    expect((await find([{}, commit, {}])).found).toEqual({ kind: "none", reason });
  });

  it("is found in the status of a fleet of 10,000 clusters", async () => {
    const lines = Array.from({ length: 10_000 }, (_, index) =>
      checksumLine(`clusters/fleet/c${index}.yaml`, sha256Hex("c")),
    );
    const large = lines.join("");
    const { found } = await find([{ by: present, checksums: large, claims: { digest: sha256Hex(large) } }]);
    expect(found.kind === "signed" && found.checksums.size).toBe(10_000);
  });

  it("reports what is wrong with the newest commit that has a signature", async () => {
    const { found } = await find([{ by: present, claims: { hub: "sha256:x" } }, { by: stranger }, {}]);
    expect(found).toEqual({ kind: "none", reason: "altered" });
  });

  it("reads nothing behind a merge, one of whose sides could be older", async () => {
    const { found, read } = await find([{ by: present }, { isMerge: true }, {}]);
    expect(found).toEqual({ kind: "none", reason: "merge" });
    expect(read).toEqual(["c3", "c2"]);
    expect((await find([{ by: present }, { isMerge: true }, { by: earlier }])).found).toMatchObject({ commit: "c3" });
  });

  it("reads as many commits as it is given", async () => {
    const { found, read } = await find([{ by: present }, {}, {}], { maximumCommits: 2 });
    expect(found).toEqual({ kind: "none", reason: "unsigned" });
    expect(read).toEqual(["c3", "c2"]);
  });

  it("accepts no earlier key that it was not given", async () => {
    const { git, head } = branchOf([{ by: earlier }]);
    const found = await findSignedStatus({ git, head, publicKey: publicOf(present), hubId: hub, repository });
    expect(found).toEqual({ kind: "none", reason: "altered" });
  });
});
