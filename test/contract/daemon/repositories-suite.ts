import "reflect-metadata";
import { mkdir } from "node:fs/promises";
import type { Socket } from "node:net";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { ExtendedKeyUsage, ExtendedKeyUsageExtension, SubjectAlternativeNameExtension } from "@peculiar/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import { lockFolder } from "../../../src/git/local/folder-lock.ts";
import { realRandom } from "../../../src/system/real-clock.ts";
import type { RepositorySpec } from "../../../src/model/generated/repository.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { makeCertificateAuthority } from "../../support/control-plane-keys.ts";
import type { GitHttpServer } from "../../support/git-http-server.ts";
import { startGitHttpServer } from "../../support/git-http-server.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { until } from "../../support/until.ts";
import { conditionOf } from "../agent/fleet-helpers.ts";
import type { DaemonSession } from "./daemon-session.ts";
import { openDaemonSession } from "./daemon-session.ts";

const { cluster, lease, repository, secret } = resourceTypes;
const manager = { fieldManager: "kubectl" };

/** Several Repository objects and one daemon; the same on every hub. */
export function describeRepositories(hubName: string, startHub: () => Promise<HubUnderTest>): void {
  describe(`a daemon that follows every Repository, on ${hubName}`, () => {
    let session: DaemonSession;
    let folder: Awaited<ReturnType<typeof makeTempFolder>>;
    let server: GitHttpServer;
    let other: TestRepository;
    let ca: Awaited<ReturnType<typeof makeCertificateAuthority>>;

    beforeAll(async () => {
      session = await openDaemonSession(await startHub());
      folder = await makeTempFolder();
      ca = await makeCertificateAuthority("git-ca");
      const tls = await ca.issue("CN=git", [
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
      ]);
      other = await createRepository(join(folder.path, "other.git"));
      server = await startGitHttpServer({ root: folder.path, tls, auth: { username: "bot", password: "right" } });
      await session.repository.commit({ files: { "a.yaml": clusterFile("a") } });
      await other.commit({ files: { "b.yaml": clusterFile("b") } });
      await session.startDaemon({ followsOthers: true, identity: "one" });
      await untilThere("a");
    });
    afterAll(async () => {
      await session?.close();
      await server?.close();
      await folder?.remove();
    });

    it("begins with one that is made on the hub, and reports in its conditions what it cannot do", async () => {
      await makeSecret("git", { username: "bot", password: "wrong" });
      await makeRepository("other", { url: server.urlOf("other.git"), secretRef: { name: "git" } });
      await untilSaid("other", "E_GIT_REMOTE");
      expect(await session.get(cluster, "b")).toBeUndefined();
    });

    it("opens a copy that another process held when it was started, without being started again", async () => {
      const third = await createRepository(join(folder.path, "third.git"));
      await third.commit({ files: { "third.yaml": clusterFile("third") } });
      const copies = join(dirname(session.repository.path), "others/repositories");
      const release = await lockFolder(join(copies, "third"), realRandom);
      await makeSecret("third", { username: "bot", password: "right" });
      await makeRepository("third", {
        url: server.urlOf("third.git"),
        secretRef: { name: "third" },
        caBundle: ca.cert,
      });
      await untilSaid("third", "E_DIR_LOCKED");
      await release();
      await patchRepository("third", { interval: "9m" });
      await untilThere("third");
    });

    it("makes no run wait for a forge that answers nothing", async () => {
      const asked: Socket[] = [];
      const silent = createServer((socket) => asked.push(socket));
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const address = silent.address();
      const port = address !== null && typeof address === "object" ? address.port : 0;
      const team = join(folder.path, "team");
      await mkdir(team);
      const fourth = await createRepository(join(team, "fourth.git"));
      await fourth.commit({ files: { "fourth.yaml": clusterFile("fourth") } });
      await makeSecret("fourth", { username: "bot", password: "right", token: "right" });
      const secretRef = { name: "fourth" };
      const forge = { provider: "Gitea", apiURL: `https://127.0.0.1:${port}/api/v1`, secretRef } as const;
      try {
        const url = server.urlOf("team/fourth.git");
        await makeRepository("fourth", { url, secretRef, caBundle: ca.cert, forge });
        await until(
          () => Promise.resolve(asked.length),
          (count) => count > 0,
        );
        await fourth.commit({ files: { "fifth.yaml": clusterFile("fifth") } });
        await patchRepository("fourth", { interval: "9m" });
        await untilThere("fifth");
        expect(asked.some(({ destroyed }) => !destroyed)).toBe(true);
      } finally {
        for (const socket of asked) socket.destroy();
        silent.close();
      }
    });

    it("takes up certificates and credentials that change, without being started again", async () => {
      await patchRepository("other", { caBundle: ca.cert });
      await untilSaid("other", "E_GIT_AUTH");
      const patch = { data: { password: Buffer.from("right").toString("base64") } };
      await session.api.mergePatch({ type: secret, namespace: session.namespace, name: "git" }, patch, manager);
      await untilThere("b");
      const seen = await session.get(cluster, "b");
      expect(seen?.metadata.labels?.["rollcall.dev/repository"]).toBe(`${session.namespace}.other`);
      await until(
        () => other.head("rollcall/status"),
        (head) => head !== undefined,
      );
    });

    it("leads each by a Lease of its own", async () => {
      for (const name of ["rollcall-hub", "rollcall-repository", "rollcall-repository.other"]) {
        const found = await session.get(lease, name, session.namespace);
        expect(textAt(found, "spec", "holderIdentity"), name).toBe("one");
      }
    });

    it("lets none of them write what another one owns", async () => {
      await other.commit({ files: { "a.yaml": clusterFile("a", { env: "theirs" }) } });
      await untilSaid("other", "E_OWNED_ELSEWHERE");
      expect((await session.get(cluster, "a"))?.metadata.labels).toMatchObject({ env: "ours" });
      await other.commit({ files: { "a.yaml": null } });
      await untilApplied("other");
    });

    it.each([
      ["a folder of this machine", () => other.path],
      ["http", () => "http://127.0.0.1:1/other.git"],
    ])("refuses %s: only flags may name it", async (what, url) => {
      const name = what.replaceAll(/[^a-z]+/gu, "-");
      await makeRepository(name, { url: url() });
      await untilSaid(name, "E_GIT_URL");
      await session.api.delete({ type: repository, namespace: session.namespace, name });
    });

    it("keeps a Repository within its workspaces", async () => {
      await patchRepository("other", { workspaces: ["elsewhere"] });
      await untilSaid("other", "E_NAMESPACE");
      await other.commit({ files: { "c.yaml": clusterFile("c") } });
      await untilSaid("other", `"observedCommit":"${await other.head()}"`);
      expect(await session.get(cluster, "c")).toBeUndefined();
      expect(await session.get(cluster, "b")).toBeDefined();
      await patchRepository("other", { workspaces: [session.workspace] });
      await untilThere("c");
    });

    it("follows a workspace that is allowed to one of them later, and to no other", async () => {
      const metadata = { name: later(), labels: { [labelKeys.workspace]: "true" } };
      await session.api.create({ apiVersion: "v1", kind: "Namespace", metadata }, manager);
      await patchRepository("other", { workspaces: [session.workspace, later()] });
      await other.commit({ files: { "e.yaml": clusterFile("e", { namespace: later() }) } });
      await untilFollowed("e");
    });

    it("follows the workspaces of each from its start on", async () => {
      await session.stopDaemon();
      await session.startDaemon({ followsOthers: true, identity: "one" });
      await other.commit({ files: { "f.yaml": clusterFile("f", { namespace: later() }) } });
      await untilFollowed("f");
    });

    it("ends with one that is deleted, and removes nothing of what it made", async () => {
      await session.api.delete({ type: repository, namespace: session.namespace, name: "other" });
      await until(
        async () =>
          textAt(await session.get(lease, "rollcall-repository.other", session.namespace), "spec", "holderIdentity") ??
          "",
        (holder) => holder === "",
      );
      await session.repository.commit({ files: { "d.yaml": clusterFile("d") } });
      await untilThere("d");
      expect(await session.get(cluster, "b")).toBeDefined();
    });

    const later = (): string => `${session.workspace}-later`;

    async function makeSecret(name: string, stringData: Record<string, string>): Promise<void> {
      const metadata = { name, namespace: session.namespace };
      await session.api.create({ apiVersion: "v1", kind: "Secret", metadata, stringData }, manager);
    }

    async function makeRepository(name: string, spec: Partial<RepositorySpec>): Promise<void> {
      const metadata = { name, namespace: session.namespace };
      const full = { interval: "1h", defaultWorkspace: session.workspace, workspaces: [session.workspace], ...spec };
      await session.api.create(
        { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository", metadata, spec: full },
        manager,
      );
    }

    async function patchRepository(name: string, spec: Partial<RepositorySpec>): Promise<void> {
      const ref = { type: repository, namespace: session.namespace, name };
      await session.api.mergePatch(ref, { spec }, manager);
    }

    async function statusOf(name: string): Promise<unknown> {
      session.enqueue();
      return (await session.get(repository, name, session.namespace))?.["status"];
    }

    async function untilSaid(name: string, code: string): Promise<void> {
      await until(
        () => statusOf(name),
        (status) => JSON.stringify(status ?? "").includes(code),
      );
    }

    async function untilApplied(name: string): Promise<void> {
      await until(
        () => statusOf(name),
        (status) =>
          objectsAt(status, "conditions").some(({ type, status: value }) => type === "Applied" && value === "True"),
      );
    }

    /** The controllers of the hub have it, which know what is in the workspaces that they follow. */
    async function untilFollowed(name: string): Promise<void> {
      await until(
        () => {
          session.enqueue();
          return session.get(cluster, name, later());
        },
        (object) => conditionOf(object, "Joined") !== undefined,
      );
    }

    async function untilThere(name: string): Promise<void> {
      await until(
        () => {
          session.enqueue();
          return session.get(cluster, name);
        },
        (object) => object !== undefined,
      );
    }
  });
}

function clusterFile(name: string, { env = "ours", namespace }: { env?: string; namespace?: string } = {}): string {
  const metadata = { name, namespace, labels: { env } };
  return JSON.stringify({ apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata, spec: {} });
}
