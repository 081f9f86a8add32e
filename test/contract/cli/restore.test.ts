import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/digest.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { makeTrustKey } from "../../support/trust-key.ts";
import { agentKey, branch, useHubToRestore } from "./lost-hub.ts";

const attackersKey = agentKey();

// A hub writes a status branch and is lost; a user who may push to the branch changes it; a new hub is restored from it.
describe("a restore from a status branch that others may push to", () => {
  const loseHub = useHubToRestore();

  it("a hub that had no cluster gets its trust key back, so that it keeps its status branch", async () => {
    const lost = await loseHub();
    await lost.write([]);
    expect(await lost.restore()).toContain('restored from the status branch {"clusters":0,"epoch":2}');
    expect(await lost.restore()).toContain("nothing to restore");
  });

  it("A52 a key that was replaced in a record is not accepted: the hub's own record is used, and the file is named", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1", "edge-2"]);
    const path = lost.pathOf("edge-1");
    const text = await lost.repository.git("show", `${branch}:${path}`);
    await lost.push({ [path]: text.replaceAll(lost.keyOf("edge-1"), attackersKey) });

    expect(await lost.restore()).toContain(path);
    expect(await lost.restoredKeys("edge-1", "edge-2")).toEqual([lost.keyOf("edge-1"), lost.keyOf("edge-2")]);
  });

  it("A52 a record, the checksums and the parent that were replaced under an old signature are not believed", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1"]);
    const head = (await lost.repository.head(branch)) ?? "";
    const path = lost.pathOf("edge-1");
    const show = (name: string): Promise<string> => lost.repository.git("show", `${branch}:${name}`);
    const before = await show(path);
    const record = before.replaceAll(lost.keyOf("edge-1"), attackersKey);
    const sums = (await show("SHA256SUMS")).replace(sha256Hex(before), sha256Hex(record));
    const signature = (await show("signature.yaml")).replace(/^parent: .*\n/mu, "");
    await lost.push({
      [path]: record,
      SHA256SUMS: sums,
      "signature.yaml": `${signature.trimEnd()}\nparent: ${head}\n`,
    });

    expect(await lost.restore()).toContain(path);
    expect(await lost.restoredKeys("edge-1")).toEqual([lost.keyOf("edge-1")]);
  });

  it("ends as one that nothing disturbed when each run before it was stopped one write later than the one before", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1", "edge-2", "edge-3"]);
    let stopped = 0;
    for (; ; stopped++) {
      const seen = await lost.restore({ hubApi: stoppedAfter(lost.hubApi, stopped) }).catch((error: unknown) => error);
      if (seen === stop) continue;
      // The runs before restored two; it reports how many were left.
      expect(seen).toContain('restored from the status branch {"clusters":1,"epoch":2}');
      break;
    }
    expect(stopped).toBeGreaterThan(4);
    const names = ["edge-1", "edge-2", "edge-3"];
    expect(await lost.restoredKeys(...names)).toEqual(names.map((name) => lost.keyOf(name)));
    expect(await lost.restore()).toContain("nothing to restore");
  });

  it("A52 an older record that is committed again on top is named, and the newest signed one is used", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1"], { keys: "older" });
    const older = await lost.repository.git("show", `${branch}:${lost.pathOf("edge-1")}`);
    const oldSignature = await lost.repository.git("show", `${branch}:signature.yaml`);
    const oldSums = await lost.repository.git("show", `${branch}:SHA256SUMS`);
    await lost.write(["edge-1"]);
    await lost.push({ [lost.pathOf("edge-1")]: older, "signature.yaml": oldSignature, SHA256SUMS: oldSums });

    expect(await lost.restore()).toContain(lost.pathOf("edge-1"));
    expect(await lost.restoredKeys("edge-1")).toEqual([lost.keyOf("edge-1")]);
  });

  it("A52 a cluster that was removed does not come back by its old record", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1", "edge-2"]);
    const removed = await lost.repository.git("show", `${branch}:${lost.pathOf("edge-2")}`);
    await lost.write(["edge-1"]);
    await lost.push({ [lost.pathOf("edge-2")]: removed });

    expect(await lost.restore()).toContain(lost.pathOf("edge-2"));
    expect(await lost.restoredKeys("edge-1", "edge-2")).toEqual([lost.keyOf("edge-1"), undefined]);
  });

  it("A52 a branch that began anew restores what it has, and so does its past", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1", "edge-2"]);
    const removed = await lost.repository.git("show", `${branch}:${lost.pathOf("edge-2")}`);
    await lost.write(["edge-1"], { isSquashed: true });
    expect((await lost.repository.git("rev-list", "--count", branch)).trim()).toBe("1");
    await lost.push({ [lost.pathOf("edge-2")]: removed });

    expect(await lost.restore()).toContain(lost.pathOf("edge-2"));
    expect(await lost.restoredKeys("edge-1", "edge-2")).toEqual([lost.keyOf("edge-1"), undefined]);
    await lost.restore({ branch: `${branch}-past` });
    expect(await lost.restoredKeys("edge-2")).toEqual([lost.keyOf("edge-2")]);
  });

  it("A52 a record altered by a forced push under the hub's own signature is named and left out; the rest is restored", async () => {
    const lost = await loseHub();
    await lost.write(["edge-0"]);
    const parent = await lost.repository.head(branch);
    await lost.write(["edge-1", "edge-2"]);
    const files: Record<string, string> = {};
    for (const path of await lost.repository.fileNames(branch))
      files[path] = await lost.repository.git("show", `${branch}:${path}`);
    const path = lost.pathOf("edge-1");
    files[path] = files[path]?.replaceAll(lost.keyOf("edge-1"), attackersKey) ?? "";
    await lost.repository.commit({ branch, from: parent ?? null, files: { [lost.pathOf("edge-0")]: null, ...files } });

    expect(await lost.restore()).toContain(path);
    expect(await lost.restoredKeys("edge-1", "edge-2")).toEqual([undefined, lost.keyOf("edge-2")]);
  });

  it("A52 a branch that another hub signed is refused", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1"], { trustKey: makeTrustKey() });
    await expect(lost.restore()).rejects.toMatchObject({ code: "E_HUB_INFO" });
    expect(await lost.restoredKeys("edge-1")).toEqual([undefined]);
  });

  it("A52 a branch that the same hub signed for another Repository is refused", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1"], { repository: "rollcall-system.other" });
    await expect(lost.restore()).rejects.toThrow(/E_UNVERIFIED|another Repository/u);
    expect(await lost.restoredKeys("edge-1")).toEqual([undefined]);
  });

  it("A52 a merge on the branch is refused: one of its sides could be older", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1"], { keys: "older" });
    const older = await lost.repository.head(branch);
    await lost.write(["edge-2"]);
    const newer = await lost.repository.head(branch);
    await lost.repository.commit({ branch, from: older ?? null, merge: [newer ?? ""], files: { "x.txt": "x" } });
    await expect(lost.restore()).rejects.toThrow(/merge commit/u);
    expect(await lost.restoredKeys("edge-1")).toEqual([undefined]);
  });

  it("A52 a branch without signatures is believed only with --restore-unsigned, and a warning is printed", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1"]);
    const names = await lost.repository.fileNames(branch);
    const files = Object.fromEntries(
      await Promise.all(
        names
          .filter((name) => name !== "signature.yaml")
          .map(async (name) => [name, await lost.repository.git("show", `${branch}:${name}`)] as const),
      ),
    );
    await lost.repository.commit({ branch, from: null, files });
    await expect(lost.restore()).rejects.toThrow(/--restore-unsigned/u);
    expect(await lost.restoredKeys("edge-1")).toEqual([undefined]);

    expect(await lost.restore({ isUnsignedAccepted: true })).toContain("is not signed");
    expect(await lost.restoredKeys("edge-1")).toEqual([lost.keyOf("edge-1")]);
  });

  it("A52 --restore-unsigned does not believe a record under a signature that does not fit", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1"]);
    const signature = await lost.repository.git("show", `${branch}:signature.yaml`);
    await lost.repository.commit({
      branch,
      from: null,
      files: { "signature.yaml": `${signature}parent: ${"1".repeat(40)}\n` },
    });
    await expect(lost.restore({ isUnsignedAccepted: true })).rejects.toMatchObject({ code: "E_UNVERIFIED" });
  });

  it("believes the replaced trust key where no daemon has used the new one yet, unless it was revoked", async () => {
    const lost = await loseHub();
    await lost.write(["edge-1"]);
    await lost.replaceKey({ isOldRevoked: true });
    await expect(lost.restore()).rejects.toMatchObject({ code: "E_UNVERIFIED" });
    await lost.replaceKey();
    expect(await lost.restore()).toContain("signed by an earlier one");
    expect(await lost.restoredKeys("edge-1")).toEqual([lost.keyOf("edge-1")]);
  });

  it("prefers what the present trust key signed to what the replaced one signed after it", async () => {
    const lost = await loseHub();
    const successor = await lost.replaceKey();
    await lost.write(["edge-1"], { successor });
    await lost.write(["edge-1"], { keys: "older" });
    expect(await lost.restore()).toContain("was changed after the hub signed it");
    expect(await lost.restoredKeys("edge-1")).toEqual([lost.keyOf("edge-1")]);
  });

  it("writes no commit where nothing changed, and signs again what a user pushed on top", async () => {
    const lost = await loseHub();
    const first = await lost.write(["edge-1"]);
    expect(await lost.write(["edge-1"])).toBe(first);
    await lost.push({ "README.md": "mine\n" });
    const again = await lost.write(["edge-1"]);
    expect(again).not.toBe(first);
    expect(await lost.write(["edge-1"])).toBe(again);
    expect(await lost.restore()).not.toContain("SHA256SUMS");
    expect(await lost.restoredKeys("edge-1")).toEqual([lost.keyOf("edge-1")]);
  });
});

const stop = new Error("stopped");
const writeNames: ReadonlySet<PropertyKey> = new Set(["create", "apply", "mergePatch", "update"]);

/** The hub for a process that is killed after a number of writes: nothing later reaches it. */
function stoppedAfter(hubApi: KubeApi, writes: number): KubeApi {
  let left = writes;
  return new Proxy(hubApi, {
    get: (target, name) => {
      if (writeNames.has(name) && left-- <= 0) return () => Promise.reject(stop);
      return Reflect.get(target, name) as unknown;
    },
  });
}
