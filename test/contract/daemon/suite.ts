import { parse } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { numberAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { Cluster } from "../../../src/model/generated/cluster.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { watchLocalRepository } from "../../../src/git/local/watch-local-repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";
import { until } from "../../support/until.ts";

const { cluster: clusterType, clusterRegistrationToken: tokenType } = resourceTypes;

/** What a commit does to a hub; the same on every hub. */
export function describeDaemon(name: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`the daemon on ${name}`, () => {
    let session: DaemonSession;
    const read = async (cluster: string): Promise<Cluster | undefined> =>
      (await session.get(clusterType, cluster)) as Cluster | undefined;
    const repositoryStatus = async (): Promise<Repository["status"]> => {
      const found = await session.api.get({
        type: resourceTypes.repository,
        namespace: session.namespace,
        name: "fleet",
      });
      return (found as Repository | undefined)?.status;
    };

    beforeAll(async () => {
      session = await openDaemonSession(await startHub());
      await session.repository.commit({
        files: {
          "clusters/eu-1.yaml": clusterFile("eu-1", { env: "prod" }),
          "clusters/us-1.yaml": clusterFile("us-1", { env: "dev" }),
          "rules/labels.yaml": labelRule("regions", { env: "prod" }, { tier: "gold" }),
          "tokens/door.yaml": tokenFile("door", "240h"),
        },
        message: "Start\n",
      });
      await session.startDaemon();
    });
    afterAll(async () => {
      await session.close();
    });

    it("creates what the files declare, with labels by rule and provenance", async () => {
      const report = await session.settle();
      expect(report).toMatchObject({ errorCount: 0, isApplied: true, failure: undefined });
      const eu = await read("eu-1");
      expect(eu?.metadata.labels).toMatchObject({
        env: "prod",
        tier: "gold",
        "rollcall.dev/repository": `${session.namespace}.fleet`,
      });
      expect(eu?.metadata.annotations).toMatchObject({
        "rollcall.dev/source-file": "clusters/eu-1.yaml",
        "rollcall.dev/source-line": "1",
      });
      expect((await read("us-1"))?.metadata.labels?.["tier"]).toBeUndefined();
      expect(await session.get(tokenType, "door")).toMatchObject({ spec: { ttl: "240h" } });
      const status = await repositoryStatus();
      expect(status).toMatchObject({
        appliedCommit: await session.repository.head(),
        counts: { clusters: 2, tokens: 1 },
      });
    });

    it("writes what it sees to the status branch, with a trailer", async () => {
      const message = await session.repository.git("log", "-1", "--format=%B", "rollcall/status");
      expect(message).toMatch(/^status: 0 of 2 clusters ready \[skip ci\]\n\nRollcall-Source-Commit: [0-9a-f]{40}/u);
      expect(await session.repository.git("show", "rollcall/status:README.md")).toContain(`${session.workspace}/eu-1`);
      await session.repository.assertSound();
    });

    it("F17 is started by no commit on its own status branch, only by one on another branch", async () => {
      const { repository } = session;
      const watching = new AbortController();
      const moved: string[] = [];
      await watchLocalRepository(
        repository.path,
        (branches) => {
          moved.push(...branches);
          const others = branches.filter((branch) => branch !== "marker");
          if (others.length > 0) session.enqueue(others);
        },
        watching.signal,
      );
      try {
        await session.settle();
        const before = session.lookCount();
        const tip = (await repository.git("rev-parse", "rollcall/status")).trim();
        const commit = await repository.git("commit-tree", "-p", tip, "-m", "Again", `${tip}^{tree}`);
        await repository.git("update-ref", "refs/heads/rollcall/status", commit.trim());
        // A watch that reports this branch has reported the one before.
        await repository.git("update-ref", "refs/heads/marker", tip);
        await until(async () => moved.includes("marker"), Boolean);
        expect(moved).toContain("rollcall/status");
        await session.whenIdle();
        expect(session.lookCount()).toBe(before);
        await repository.commit({ files: { "notes.txt": "A branch with files." } });
        await until(async () => session.lookCount() > before, Boolean);
      } finally {
        watching.abort();
      }
    });

    it("F17 applies no file of its status branch", async () => {
      const { repository } = session;
      const from = (await repository.git("rev-parse", "rollcall/status")).trim();
      const files = { "clusters/planted.yaml": clusterFile("planted", {}) };
      await repository.commit({ branch: "rollcall/status", from, files });
      session.enqueue(["main"]);
      await session.settle();
      expect(await read("planted")).toBeUndefined();
    });

    it("F20 applies a commit without a webhook at the next poll, once, whatever comes late", async () => {
      await session.stopDaemon();
      await session.startDaemon({ spec: { interval: "1s" } });
      await session.settle();
      await session.repository.commit({ files: { "clusters/us-1.yaml": clusterFile("us-1", { env: "polled" }) } });
      await until(async () => (await read("us-1"))?.metadata.labels?.["env"] === "polled", Boolean);
      const head = await session.repository.head();
      await until(async () => (await repositoryStatus())?.appliedCommit === head, Boolean);
      // The controllers of the hub write the status of the Cluster after the commit is applied.
      await session.whenIdle();
      const applied = await read("us-1");
      for (let time = 0; time < 3; time += 1) session.enqueue(["main"]);
      await session.whenIdle();
      expect((await session.settle()).changeCount).toBe(0);
      expect((await read("us-1"))?.metadata.resourceVersion).toBe(applied?.metadata.resourceVersion);
      await session.repository.commit({ files: { "clusters/us-1.yaml": clusterFile("us-1", { env: "dev" }) } });
      await session.settle();
      await session.stopDaemon();
      await session.startDaemon();
      await session.settle();
    });

    it("F8 writes nothing at all when nothing changed, also after a restart", async () => {
      await session.stopDaemon();
      const versions = async () => {
        const found = await Promise.all(
          [clusterType, tokenType, resourceTypes.clusterGroup, resourceTypes.configMap, resourceTypes.secret].map(
            async (type) => (await session.api.list(type, { namespace: session.workspace })).items,
          ),
        );
        return found.flat().map(({ kind, metadata }) => `${kind}/${metadata.name} ${metadata.resourceVersion}`);
      };
      const before = await versions();
      const tip = await session.repository.git("rev-parse", "rollcall/status");
      await session.startDaemon();
      const report = await session.settle();
      expect(report.changeCount).toBe(0);
      expect(await versions()).toEqual(before);
      expect(await session.repository.git("rev-parse", "rollcall/status")).toBe(tip);
    });

    it("carries a changed label to the hub, reading one file", async () => {
      await session.repository.commit({
        files: { "clusters/eu-1.yaml": clusterFile("eu-1", { env: "prod", team: "a" }) },
      });
      const report = await session.settle();
      expect(report).toMatchObject({ changeCount: 1, parsedCount: 1 });
      expect((await read("eu-1"))?.metadata.labels?.["team"]).toBe("a");
    });

    it("names in the status branch what was left in deleted clusters, and keeps it", async () => {
      await session.stopDaemon();
      const ref = { type: resourceTypes.repository, namespace: session.namespace, name: "fleet" };
      const remains = "Deployment/rollcall-agent/rollcall-agent";
      const entry = (cluster: string) => ({
        cluster: `${session.workspace}/${cluster}`,
        time: "2027-01-01T00:00:00Z",
        remains,
      });
      const lost = entry("lost-1");
      const status = { leftBehind: [lost, entry("eu-1")] };
      await session.api.mergePatch(ref, { status }, { fieldManager: "rollcall-hub", subresource: "status" });
      await session.startDaemon();
      await session.repository.commit({
        files: { "clusters/eu-1.yaml": clusterFile("eu-1", { env: "prod", team: "b" }) },
      });
      await session.settle();
      const summary: unknown = parse(await session.repository.git("show", "rollcall/status:summary.yaml"));
      expect(objectsAt(summary, "leftBehind")).toEqual([lost]);
      expect(await session.repository.git("show", "rollcall/status:README.md")).toContain("## Left behind");
      expect((await repositoryStatus())?.leftBehind).toEqual(status.leftBehind);
      await session.repository.commit({
        files: { "clusters/eu-1.yaml": clusterFile("eu-1", { env: "prod", team: "a" }) },
      });
      await session.settle();
      expect((await repositoryStatus())?.leftBehind).toEqual(status.leftBehind);
    });

    it("makes a group of the whole fleet by an empty selector, and counts it", async () => {
      const group = `apiVersion: rollcall.dev/v1alpha1\nkind: ClusterGroup\nmetadata:\n  name: all\nspec:\n  selector: {}\n`;
      await session.repository.commit({ files: { "groups/all.yaml": group } });
      const report = await session.settle();
      expect(report).toMatchObject({ errorCount: 0, isApplied: true, changeCount: 1 });
      await until(async () => {
        const found = await session.get(resourceTypes.clusterGroup, "all");
        return numberAt(found, "status", "clusters") === 2;
      }, Boolean);
      await session.repository.commit({ files: { "groups/all.yaml": null } });
      expect(await session.settle()).toMatchObject({ isApplied: true, changeCount: 1 });
    });

    it("reverts what a user changed or deleted on the hub", async () => {
      const ref = { type: clusterType, namespace: session.workspace, name: "eu-1" };
      await session.api.mergePatch(ref, { metadata: { labels: { env: "stolen" } } }, { fieldManager: "kubectl" });
      await until(async () => (await read("eu-1"))?.metadata.labels?.["env"] === "prod", Boolean);
      const before = await read("us-1");
      await session.api.delete({ ...ref, name: "us-1" });
      await until(async () => {
        const now = await read("us-1");
        return now !== undefined && now.metadata.uid !== before?.metadata.uid;
      }, Boolean);
    });

    it("keeps what a bad file declared before, reports it at its line, and applies the rest", async () => {
      await session.repository.commit({
        files: {
          "clusters/eu-1.yaml": `${clusterFile("eu-1", { env: "prod" })}  displayNmae: oops\n`,
          "clusters/us-1.yaml": clusterFile("us-1", { env: "test" }),
        },
      });
      const report = await session.settle();
      expect(report).toMatchObject({ isApplied: false, errorCount: 1 });
      expect((await read("us-1"))?.metadata.labels?.["env"]).toBe("test");
      expect((await read("eu-1"))?.metadata.labels?.["team"]).toBe("a");
      const status = await repositoryStatus();
      expect(status?.problems?.first?.[0]).toMatchObject({
        code: "E_UNKNOWN_FIELD",
        file: "clusters/eu-1.yaml",
        line: 9,
      });
      await session.repository.commit({ files: { "clusters/eu-1.yaml": clusterFile("eu-1", { env: "prod" }) } });
      expect(await session.settle()).toMatchObject({ isApplied: true, errorCount: 0 });
    });

    it("removes a token with its file, and a cluster with its file", async () => {
      await session.repository.commit({ files: { "tokens/door.yaml": null, "clusters/us-1.yaml": null } });
      await session.settle();
      await until(async () => (await session.get(tokenType, "door")) === undefined, Boolean);
      await until(async () => (await read("us-1")) === undefined, Boolean);
      expect((await repositoryStatus())?.deletions).toMatchObject({ count: 1 });
    });

    it("withholds removals over the budget while other changes apply, until a trailer lets them through", async () => {
      const files: Record<string, string | null> = {};
      for (const cluster of ["a", "b", "c"]) files[`clusters/${cluster}.yaml`] = clusterFile(cluster, {});
      await session.repository.commit({ files });
      await session.settle();
      await session.repository.commit({
        files: {
          "clusters/a.yaml": null,
          "clusters/b.yaml": null,
          "clusters/eu-1.yaml": clusterFile("eu-1", { env: "prod", note: "x" }),
        },
      });
      expect(await session.settle()).toMatchObject({ withheldCount: 2, isApplied: false });
      expect((await read("eu-1"))?.metadata.labels?.["note"]).toBe("x");
      expect(await read("a")).toBeDefined();
      const ready = (await repositoryStatus())?.conditions?.find(({ type }) => type === "Ready");
      expect(ready).toMatchObject({ status: "False", reason: "RemovalsWithheld" });
      expect(ready?.message).toContain("Rollcall-Allow-Deletions: 2");
      await session.repository.commit({
        files: { "notes.txt": "approved" },
        message: "Remove them\n\nRollcall-Allow-Deletions: 2\n",
      });
      expect(await session.settle()).toMatchObject({ withheldCount: 0 });
      await until(async () => (await read("a")) === undefined && (await read("b")) === undefined, Boolean);
    });

    it("F13 stops a fight over a field after three reverts, names the other manager, and continues elsewhere", async () => {
      await session.repository.commit({ files: { "clusters/c.yaml": clusterFile("c", { env: "prod" }) } });
      await session.settle();
      const ref = { type: clusterType, namespace: session.workspace, name: "c" };
      const steal = () =>
        session.api.mergePatch(ref, { metadata: { labels: { env: "stolen" } } }, { fieldManager: "other-tool" });
      const isReverted = async () => (await read("c"))?.metadata.labels?.["env"] === "prod";
      for (let round = 0; round < 3; round += 1) {
        await steal();
        await until(isReverted, Boolean);
      }
      const stalled = async () =>
        (await repositoryStatus())?.conditions?.find(
          ({ type, reason }) => type === "Stalled" && reason === "FieldFight",
        );
      await until(async () => (await stalled()) !== undefined, Boolean);
      expect((await stalled())?.message).toMatch(
        /^Field manager other-tool keeps changing metadata\.labels\[env\] of Cluster\/.*\/c; /u,
      );
      const told = async (): Promise<string[]> => {
        const { items } = await session.api.list(resourceTypes.event, { namespace: session.workspace });
        return items
          .filter((event) => event["reason"] === "FieldFight" && textAt(event, "involvedObject", "name") === "c")
          .map((event) => textAt(event, "message") ?? "");
      };
      await until(async () => (await told()).length > 0, Boolean);
      expect((await told())[0]).toContain("Field manager other-tool keeps changing metadata.labels[env]");
      await steal();
      await session.repository.commit({ files: { "clusters/eu-1.yaml": clusterFile("eu-1", { calm: "yes" }) } });
      await session.settle();
      expect((await read("eu-1"))?.metadata.labels?.["calm"]).toBe("yes");
      expect((await read("c"))?.metadata.labels?.["env"]).toBe("stolen");
      await session.repository.commit({ files: { "clusters/c.yaml": clusterFile("c", { env: "live" }) } });
      await session.settle();
      expect((await read("c"))?.metadata.labels?.["env"]).toBe("live");
    });

    it("A16 keeps what is there while the files are too large together, and continues after it", async () => {
      const names = Array.from({ length: 258 }, (_, index) => `large/${index}.yaml`);
      const content = `# ${"x".repeat(255 * 1024)}\n`;
      const large = Object.fromEntries(names.map((path) => [path, content]));
      await session.repository.commit({ files: { ...large, "clusters/eu-1.yaml": null }, message: "Too large\n" });
      expect(await session.settle()).toMatchObject({ errorCount: 1 });
      const problems = (await repositoryStatus())?.problems?.first?.map(({ code, file }) => ({ code, file }));
      expect(problems).toContainEqual({ code: "E_REPOSITORY_TOO_LARGE", file: "." });
      expect(await read("eu-1")).toBeDefined();
      expect((await read("eu-1"))?.metadata.annotations).not.toHaveProperty("rollcall.dev/leave");
      const none = Object.fromEntries(names.map((path) => [path, null]));
      const files = { ...none, "clusters/eu-1.yaml": clusterFile("eu-1", { env: "later" }) };
      await session.repository.commit({ files, message: "Small again\n" });
      expect(await session.settle()).toMatchObject({ errorCount: 0, isApplied: true });
      expect((await read("eu-1"))?.metadata.labels).toMatchObject({ env: "later" });
    });

    it("F2 reads no other folder and no other branch than its settings name, and keeps what is there", async () => {
      await session.stopDaemon();
      for (const spec of [{ paths: ["nowhere"] }, { ref: { branch: "no-such-branch" } }]) {
        await session.startDaemon({ spec });
        await until(async () => {
          const ready = (await repositoryStatus())?.conditions?.find(({ type }) => type === "Ready");
          return ready?.status === "False";
        }, Boolean);
        expect(await read("eu-1")).toBeDefined();
        expect((await read("eu-1"))?.metadata.annotations).not.toHaveProperty("rollcall.dev/leave");
        await session.stopDaemon();
      }
      await session.startDaemon({ spec: { ref: { branch: "main" }, paths: ["."] } });
      await session.settle();
    });

    it("F2 removes nothing when the tree has no document left, whatever was approved", async () => {
      const message = "Remove all\n\nRollcall-Allow-Deletions: 99\n";
      const others = { "clusters/us-1.yaml": null, "clusters/c.yaml": null, "tokens/door.yaml": null };
      await session.repository.commit({ files: others, message });
      expect(await session.settle()).toMatchObject({ withheldCount: 0 });
      await session.repository.commit({ files: { "clusters/eu-1.yaml": null, "rules/labels.yaml": null }, message });
      expect(await session.settle()).toMatchObject({ withheldCount: 1 });
      expect(await read("eu-1")).toBeDefined();
    });
  });
}

function clusterFile(name: string, labels: Record<string, string>): string {
  const lines = Object.entries(labels).map(([key, value]) => `    ${key}: ${value}`);
  return [
    "apiVersion: rollcall.dev/v1alpha1",
    "kind: Cluster",
    "metadata:",
    `  name: ${name}`,
    lines.length > 0 ? `  labels:\n${lines.join("\n")}` : "  labels: {}",
    "spec:",
    `  displayName: Cluster ${name}`,
    "",
  ].join("\n");
}

function labelRule(name: string, match: Record<string, string>, labels: Record<string, string>): string {
  return JSON.stringify({
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "ClusterLabels",
    metadata: { name },
    spec: { selector: { matchLabels: match }, labels },
  });
}

function tokenFile(name: string, ttl: string): string {
  return `apiVersion: rollcall.dev/v1alpha1\nkind: ClusterRegistrationToken\nmetadata:\n  name: ${name}\nspec:\n  ttl: ${ttl}\n`;
}
