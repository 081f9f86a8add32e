import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { stringify } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCheck } from "../../../src/cli/commands/check.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { installHub } from "../../../src/install/install-hub.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../../src/model/resource-types.ts";
import { labelKeys } from "../../../src/model/well-known.ts";
import { daemonAccount } from "../../support/daemon-rights.ts";
import type { TestRepository } from "../../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../../support/git-repositories.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";
import { neverAborted } from "../../support/never-aborted.ts";

interface Check {
  readonly name: string;
  readonly state: string;
  readonly message: string;
  readonly details?: readonly string[];
  readonly remedy?: string;
}

/** What `rollcall check` finds on a hub, as an administrator and with the daemon's own rights; the same on every API server. */
export function describeCheck(name: string, start: () => Promise<HubUnderTest>): void {
  describe(`rollcall check on ${name}`, () => {
    const id = randomUUID().slice(0, 8);
    const namespace = `check-${id}`;
    const workspace = `checked-${id}`;
    const account = `check-${id}`;
    let hub: HubUnderTest;
    let api: KubeApi;
    let folder: Awaited<ReturnType<typeof makeTempFolder>>;
    let repository: TestRepository;
    let objects: readonly KubeObject[] = [];
    const fileOf = (file: string): string => join(folder.path, file);
    const check = async (options: Readonly<Record<string, string | boolean | undefined>>) => {
      const usual = { repo: repository.path, namespace, workspaces: workspace, "cache-dir": fileOf("cache") };
      return runCommand("check", runCheck, { options: { ...usual, ...options }, environment: { HOME: folder.path } });
    };
    const checksOf = async (options: Readonly<Record<string, string | boolean | undefined>>) => {
      const { code, text } = await check({ ...options, output: "json" });
      const { isOk, checks } = JSON.parse(text) as { readonly isOk: boolean; readonly checks: readonly Check[] };
      expect(isOk).toBe(code === 0);
      return { code, of: (one: string) => checks.find((result) => result.name === one) };
    };

    beforeAll(async () => {
      hub = await start();
      folder = await makeTempFolder();
      repository = await createRepository(fileOf("fleet.git"));
      await repository.commit({ files: { "a.yaml": "" } });
      api = apiOf(readKubeconfig(hub.kubeconfig));
      await installHub(api, namespace, neverAborted());
      const labels = { [labelKeys.workspace]: "true" };
      const place = { apiVersion: "v1", kind: "Namespace", metadata: { name: workspace, labels } };
      objects = [place, ...daemonAccount(namespace, [workspace], account)];
      for (const object of objects) await api.create(object, { fieldManager: "test" });
      const asked = { namespace, serviceAccount: account, expirationSeconds: 3600 };
      const { token } = await api.requestToken(asked);
      const { caPem = "" } = await readKubeconfig(hub.kubeconfig).getTls();
      await writeFile(fileOf("admin"), hub.kubeconfig);
      await writeFile(fileOf("daemon"), kubeconfigOf(api.server, { caPem, token }));
      await writeFile(fileOf("nobody"), kubeconfigOf("https://127.0.0.1:1", { caPem, token: "t" }));
    });
    afterAll(async () => {
      for (const object of [...objects].reverse()) {
        const type = resourceTypeOf(object);
        if (type !== undefined) await api.delete(refOf(type, object));
      }
      await api.delete({ type: resourceTypes.namespace, name: namespace });
      await api.close();
      await hub.stop();
      await folder.remove();
    });

    it("prints ok line by line to an administrator", async () => {
      const { code, text } = await check({ kubeconfig: fileOf("admin") });
      expect(text).toMatch(/^ok {7}program {6}rollcall \S+, Node\.js v/u);
      expect(text).toMatch(/^ok {7}hub {10}https:\/\/\S+ answers, Kubernetes v1\.\d+\S*, as \S+$/mu);
      expect(text).toContain("ok       definitions  6 definitions of this version\n");
      expect(text).toContain(`ok       daemon       no daemon leads in namespace ${namespace}\n`);
      expect(text).toContain(`ok       workspaces   1 workspace: ${workspace}\n`);
      expect(text).toContain("ok       rights       every right that these options need\n");
      expect(text).toMatch(/^ok {7}repository {3}\S+ answers, branch main is at [0-9a-f]{8,}$/mu);
      expect(text).toContain("ok       forge        no forge is named\n");
      expect(text.endsWith("\nThe daemon can run.\n")).toBe(true);
      expect(code).toBe(0);
    });

    it("is content with the rights that the chart gives, and asks for no other", async () => {
      const { code, of } = await checksOf({ kubeconfig: fileOf("daemon") });
      expect(of("rights")).toMatchObject({ state: "ok" });
      expect(code).toBe(0);
    });

    it("names each right that options need besides, with its place and purpose", async () => {
      const { code, of } = await checksOf({
        kubeconfig: fileOf("daemon"),
        "follow-repositories": true,
        "publish-flux": workspace,
        "install-crds": true,
      });
      expect(code).toBe(1);
      const { state, details = [], remedy } = of("rights") ?? { state: "none" };
      expect(state).toBe("failed");
      expect(remedy).toContain("docs/rbac.md");
      expect(details).toContain(
        "in the whole hub: get, create, patch customresourcedefinitions.apiextensions.k8s.io: installs the definitions (--install-crds)",
      );
      expect(details.filter((line) => line.startsWith(`in namespace ${namespace}: `))).not.toEqual([]);
      expect(details.some((line) => line.startsWith("in namespace rollcall-public: "))).toBe(false);
    });

    it("names the rights of a workspace that a role no longer gives", async () => {
      const ref = { type: resourceTypes.role, namespace: workspace, name: `${account}.${namespace}` };
      const role = await api.get(ref);
      const rules = (role?.["rules"] as { readonly resources: readonly string[] }[]).filter(
        ({ resources }) => !resources.includes("serviceaccounts/token"),
      );
      await api.mergePatch(ref, { rules }, { fieldManager: "test" });
      const { of } = await checksOf({ kubeconfig: fileOf("daemon") });
      expect(of("rights")).toMatchObject({
        state: "failed",
        message: "1 rule of 1 place is missing",
      });
      const line = `in namespace ${workspace}: create serviceaccounts/token: issues their`;
      expect(of("rights")?.details?.map((detail) => detail.slice(0, line.length))).toEqual([line]);
    });

    it("continues where the hub does not answer, and names what is not checked", async () => {
      const { code, of } = await checksOf({ kubeconfig: fileOf("nobody") });
      expect(code).toBe(1);
      expect(of("hub")?.state).toBe("failed");
      expect(of("hub")?.message).toContain("E_KUBE_UNREACHABLE");
      expect(of("hub")?.remedy).not.toBe("");
      for (const one of ["definitions", "daemon", "workspaces", "rights", "secrets", "forge"]) {
        expect(of(one)?.state, one).toBe("skipped");
      }
      expect(of("repository")?.state).toBe("ok");
    });

    it.each<{ options: Readonly<Record<string, string>>; one: string; message: string }>([
      { options: { branch: "prod" }, one: "repository", message: "has no branch prod (it has main)" },
      { options: { repo: "/nonexistent/fleet" }, one: "repository", message: "E_GIT_FOLDER" },
      { options: { workspaces: "lost-*,lost" }, one: "workspaces", message: "is named lost" },
      { options: { namespace: "lost-daemon" }, one: "daemon", message: "namespace lost-daemon is not on the hub" },
      { options: { "age-key-secret": "lost-keys" }, one: "secrets", message: "lost-keys: it is not on the hub" },
      {
        options: { "git-token-file": "/nonexistent/token" },
        one: "files",
        message: "read /nonexistent/token: it is not there",
      },
      { options: { interval: "soon" }, one: "options", message: "--interval: soon is no duration such as 15m" },
      { options: { "metrics-address": "8080" }, one: "options", message: "--metrics-address is not host:port: 8080" },
      { options: { "sops-program": "/nonexistent/sops" }, one: "files", message: "is no program that this user may" },
    ])("fails with what to do: $one with $options", async ({ options, one, message }) => {
      const { code, of } = await checksOf({ kubeconfig: fileOf("admin"), ...options });
      expect(of(one)?.state).toBe("failed");
      expect(of(one)?.message).toContain(message);
      expect(of(one)?.remedy).toBeTypeOf("string");
      expect(code).toBe(1);
    });

    it("asks the forge with the token of its Secret", async () => {
      const tokens: (string | undefined)[] = [];
      const forge = createServer((request, response) => {
        tokens.push(request.headers.authorization);
        const isKnown = request.headers.authorization === "token good";
        response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json" }).end("[]");
      });
      await new Promise<void>((resolve) => forge.listen(0, "127.0.0.1", resolve));
      const { port } = forge.address() as AddressInfo;
      const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace, name: "forge" } };
      const spec = {
        url: "https://git.example.com/team/fleet.git",
        forge: { provider: "Gitea", apiURL: `http://127.0.0.1:${port}/api/v1`, secretRef: { name: "forge" } },
      };
      const repositoryObject = { apiVersion: "rollcall.dev/v1alpha1", kind: "Repository" };
      await api.create({ ...secret, stringData: { token: "good" } }, { fieldManager: "test" });
      await api.create(
        { ...repositoryObject, metadata: { namespace, name: "of-forge" }, spec },
        { fieldManager: "test" },
      );
      const options = { kubeconfig: fileOf("admin"), repo: undefined, repository: "of-forge" };
      const good = await checksOf(options);
      const type = resourceTypes.secret;
      await api.mergePatch({ type, namespace, name: "forge" }, { data: { token: "YmFk" } }, { fieldManager: "test" });
      const bad = await checksOf(options);
      forge.close();
      forge.closeAllConnections();
      expect(tokens.slice(0, 1)).toEqual(["token good"]);
      expect(good.of("forge")).toMatchObject({ state: "ok", message: "Gitea answers for team/fleet" });
      expect(bad.of("forge")?.state).toBe("failed");
      expect(bad.of("forge")?.message).toContain("E_FORGE_AUTH");
    });
  });
}

function kubeconfigOf(server: string, { caPem, token }: { readonly caPem: string; readonly token: string }): string {
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": Buffer.from(caPem).toString("base64") } }],
    users: [{ name: "u", user: { token } }],
  });
}
