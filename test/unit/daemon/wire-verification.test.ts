import { describe, expect, it } from "vitest";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { silentLog } from "../../../src/core/log.ts";
import { repositoryVerifier } from "../../../src/daemon/wire-verification.ts";
import type { Commit, CommitSignature, GitEngine, PathChange } from "../../../src/git/git.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { ed25519Signer } from "../signatures/signature-builders.ts";

const signer = ed25519Signer();
const stranger = ed25519Signer();

/** A line of commits `c1` to `c3`, of which these are signed, and the files that each changed. */
interface Line {
  readonly signed?: Readonly<Record<string, typeof signer>>;
  readonly files?: Readonly<Record<string, readonly string[]>>;
}

function openVerifier({ signed = {}, files = {} }: Line = {}) {
  const secret = { version: "1", data: { team: `${signer.line}\n` } as Record<string, string> };
  const warnings: (LogFields | undefined)[] = [];
  const log: Log = { ...silentLog, warn: (_, fields) => void warnings.push(fields) };
  let reads = 0;
  let duringRead = (): Promise<unknown> => Promise.resolve();
  const commit = (number: number): Commit => ({
    ...{ id: `c${number}`, parents: number === 1 ? [] : [`c${number - 1}`], treeId: `t${number}`, message: "m" },
    ...{ author: { name: "a", email: "a@example.org" }, committedAtMs: number },
  });
  const numberOf = (id: string | undefined): number => Number(id?.slice(1) ?? 0);
  const between = (from: string | undefined, to: string): number[] =>
    Array.from({ length: numberOf(to) - numberOf(from) }, (_, index) => numberOf(to) - index);
  const git = {
    readCommit: async (id: string) => commit(numberOf(id)),
    readSignature: async (id: string): Promise<CommitSignature | undefined> => {
      reads += 1;
      const happens = duringRead;
      duringRead = () => Promise.resolve();
      await happens();
      return signed[id]?.sign({ payload: Buffer.from(`payload of ${id}`) });
    },
    listCommits: async ({ from, to }: { from?: string; to: string }) => between(from, to).map(commit),
    changedPaths: async (from: string | undefined, to: string): Promise<PathChange[]> =>
      between(from, to).flatMap((number) => (files[`c${number}`] ?? []).map((path) => ({ path }))),
    listFiles: async (id: string, [path]: readonly string[]) => {
      const changed = between(undefined, id).find((number) => files[`c${number}`]?.includes(path ?? ""));
      return changed === undefined ? [] : [{ path, mode: "file", blobId: `${path} of ${changed}` }];
    },
    isAncestor: async (ancestor: string, descendant: string) => numberOf(ancestor) <= numberOf(descendant),
  } as unknown as GitEngine;
  const get = async () => {
    const data = Object.entries(secret.data).map(([key, text]) => [key, Buffer.from(text).toString("base64")]);
    return {
      metadata: { name: "signers", uid: "u", resourceVersion: secret.version },
      data: Object.fromEntries(data) as object,
    };
  };
  const verifierOf = repositoryVerifier({ hubApi: { get } as unknown as KubeApi, git, log });
  const verifier = async (verify: object = {}) => {
    const spec = { url: "u", verify: { keysSecretRef: { name: "signers" }, ...verify } };
    const repository = { metadata: { name: "fleet", namespace: "rollcall" }, spec } as unknown as Repository;
    const found = await verifierOf(repository);
    if (found === undefined) throw new Error("the Repository asks for signatures");
    return found;
  };
  const replace = (data: Record<string, string>): void =>
    void Object.assign(secret, { version: `${secret.version}1`, data });
  return {
    ...{ verifierOf, verifier, replace, warnings, reads: () => reads },
    /** What another party does while the next signature is read. */
    duringNextRead: (happens: () => Promise<unknown>) => void (duringRead = happens),
  };
}

const range = { base: "c1", head: "c2" };

describe("the verifier of a Repository", () => {
  it("is none where it asks for no signatures", async () => {
    const { verifierOf } = openVerifier();
    expect(await verifierOf({ metadata: {}, spec: { url: "u" } } as unknown as Repository)).toBeUndefined();
  });

  it.each([
    { of: "signed by a listed key", by: signer, unverified: [], signed: ["c2"] },
    { of: "signed by another key", by: stranger, unverified: ["clusters/a.yaml"], signed: [] },
    { of: "not signed", by: undefined, unverified: ["clusters/a.yaml"], signed: [] },
  ])("reports a commit that is $of", async ({ by, unverified, signed }) => {
    const line = { files: { c2: ["clusters/a.yaml"] }, ...(by ? { signed: { c2: by } } : {}) };
    const result = await (await openVerifier(line).verifier()).verify(range);
    expect(result.unverified).toEqual(unverified);
    expect(result.signed).toEqual(new Set(signed));
    expect(result.reason === "another commit made the change").toBe(signed.length > 0);
  });

  it("protects the named paths, and the list of ignored files, which could hide them", async () => {
    const { verifier } = openVerifier({ files: { c2: ["clusters/a.yaml", "docs/b.md", ".rollcallignore"] } });
    const { verify } = await verifier({ paths: ["clusters/"] });
    expect((await verify(range)).unverified).toEqual([".rollcallignore", "clusters/a.yaml"]);
  });

  it("remembers a result for its range, until the keys or the paths change", async () => {
    const { verifier, replace, reads } = openVerifier({ files: { c2: ["a"], c3: ["b"] } });
    const readsOf = async (verify: object, asked: object): Promise<number> => {
      const before = reads();
      await (await verifier(verify)).verify({ ...range, ...asked });
      return reads() - before;
    };
    expect(await readsOf({}, {})).toBeGreaterThan(0);
    expect(await readsOf({}, {})).toBe(0);
    expect(await readsOf({}, { head: "c3" })).toBeGreaterThan(0);
    expect(await readsOf({}, { base: undefined })).toBeGreaterThan(0);
    expect(await readsOf({}, {})).toBe(0);
    expect(await readsOf({ paths: ["a"] }, {})).toBeGreaterThan(0);
    replace({ team: `${stranger.line}\n` });
    expect(await readsOf({ paths: ["a"] }, {})).toBeGreaterThan(0);
  });

  it("A266 forgets the result of a verification that was under way when a key was removed", async () => {
    const { verifier, replace, duringNextRead } = openVerifier({ signed: { c2: signer }, files: { c2: ["a"] } });
    const before = await verifier();
    duringNextRead(async () => {
      replace({ team: `${stranger.line}\n` });
      await (await verifier()).verify({ ...range, head: "c1", base: "c0" });
    });
    expect((await before.verify(range)).unverified).toEqual([]);
    expect((await (await verifier()).verify(range)).unverified).toEqual(["a"]);
  });

  it("logs an invalid line of the keys once for each version of their Secret, and uses the other lines", async () => {
    const { verifier, replace, warnings } = openVerifier({ signed: { c2: signer }, files: { c2: ["a"] } });
    replace({ team: `no key\n${signer.line}\n`, more: "bad too\n" });
    for (const _run of [1, 2]) expect((await (await verifier()).verify(range)).unverified).toEqual([]);
    expect(warnings).toMatchObject([
      { secret: "rollcall/signers", key: "team", line: 1 },
      { secret: "rollcall/signers", key: "more", line: 1 },
    ]);
    replace({ team: "still no key\n" });
    await verifier();
    expect(warnings).toHaveLength(3);
  });

  it.each([
    ["signed by a listed key", signer, true],
    ["signed by another key", stranger, false],
  ])("finds that a commit is %s", async (_, by, expected) => {
    const verifier = await openVerifier({ signed: { c2: by } }).verifier();
    expect(await verifier.isSigned("c2", "c3")).toBe(expected);
    expect(await verifier.isSigned("c1", "c3")).toBe(false);
  });

  it("finds the form of a file that a listed key vouches for", async () => {
    const verifier = await openVerifier({ signed: { c2: signer }, files: { c2: ["a"] } }).verifier();
    expect([await verifier.isVouched("c2", "a"), await verifier.isVouched("c3", "a")]).toEqual([true, true]);
    const unsigned = await openVerifier({ files: { c2: ["a"] } }).verifier();
    expect(await unsigned.isVouched("c2", "a")).toBe(false);
  });
});
