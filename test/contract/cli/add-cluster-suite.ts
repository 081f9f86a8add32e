import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateIdentity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runAddCluster } from "../../../src/cli/commands/add-cluster.ts";
import { apiOf } from "../../../src/daemon/connect-hub.ts";
import { createDecrypter } from "../../../src/secrets/decrypt.ts";
import { runValidate } from "../../../src/cli/commands/validate.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { installationObjects, renderManifest } from "../../../src/join/rollcall/manifests/agent-manifest.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { readKubeconfig } from "../../../src/kube/read-kubeconfig.ts";
import { refOf } from "../../../src/model/kubernetes.ts";
import { resourceTypeOf, resourceTypes } from "../../../src/model/resource-types.ts";
import type { HubUnderTest } from "../../support/hub-under-test.ts";
import { runCommand } from "../../support/plain-context.ts";

const values = {
  hub: { url: "https://hub.example.com:6443", caBundle: "", id: `sha256:${"a".repeat(64)}` },
  workspace: "fleet",
  token: { name: "eu-1.bootstrap", credential: "c", proofKey: Buffer.alloc(32, 7).toString("base64") },
};

/** What `rollcall add cluster` leaves in a cluster, a work tree and on a hub; the same on every API server. */
export function describeAddCluster(name: string, start: () => Promise<HubUnderTest>): void {
  describe(`rollcall add cluster on ${name}`, () => {
    let dir = "";
    let server: HubUnderTest;
    let adminApi: KubeApi;
    let installerApi: KubeApi | undefined;
    const run = (cluster: string, options: Record<string, string>) =>
      runCommand("add cluster", runAddCluster, {
        args: [cluster],
        options: { dir: join(dir, "tree"), kubeconfig: join(dir, "admin"), ...options },
      });

    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), "rollcall-add-"));
      server = await start();
      await writeFile(join(dir, "admin"), server.kubeconfig);
      adminApi = apiOf(readKubeconfig(server.kubeconfig));
    });
    afterAll(async () => {
      await installerApi?.close();
      for (const namespace of ["rollcall-installer", "rollcall-agent", "fleet", "elsewhere"]) {
        await adminApi.delete({ type: resourceTypes.namespace, name: namespace });
      }
      await adminApi.close();
      await server.stop();
      await rm(dir, { recursive: true, force: true });
    });

    it("writes a Cluster and an encrypted kubeconfig that validate accepts, and no plain one", async () => {
      const tree = join(dir, "tree");
      await expect(run("eu-1", {})).rejects.toMatchObject({ code: "E_USAGE" });
      await expect(run("eu-1", { "age-recipient": "age1x" })).rejects.toMatchObject({
        code: "E_USAGE",
        message:
          '--age-recipient "age1x" is no age recipient: write the public key (age1...) that `age-keygen -y KEYFILE` prints',
      });
      const installer = { type: resourceTypes.namespace, name: "rollcall-installer" };
      expect(await adminApi.get(installer), "made for a file that cannot be written").toBeUndefined();
      const identity = await generateIdentity();
      await mkdir(tree);
      const { text } = await run("eu-1", { "age-recipient": await identityToRecipient(identity), label: "env=prod" });
      expect(await readdir(join(tree, "clusters"))).toEqual(["eu-1.secret.yaml", "eu-1.yaml"]);
      let output = "";
      expect(await runValidate({ dir: tree, isColour: false, out: (part) => (output += part) }), output).toBe(0);
      const encrypted = await readFile(join(tree, "clusters/eu-1.secret.yaml"), "utf8");
      const decrypted = await createDecrypter({ ageKeys: [identity] })({ path: "x.yaml", text: encrypted });
      const secret = decrypted.kind === "documents" ? decrypted.documents[0] : undefined;
      expect(secret).toMatchObject({ metadata: { name: "eu-1-kubeconfig", namespace: "fleet" } });
      const kubeconfig = Buffer.from(textAt(secret, "data", "value") ?? "", "base64").toString("utf8");
      installerApi = apiOf(readKubeconfig(kubeconfig));
      const token = await readKubeconfig(kubeconfig).getToken?.();
      for (const place of [text, encrypted]) expect(place).not.toContain(token);
      const again = run("eu-1", { "age-recipient": await identityToRecipient(identity) });
      const path = join(tree, "clusters/eu-1.secret.yaml");
      await expect(again).rejects.toThrow(`${path} exists: delete it, and a new one is made`);
    });

    it("makes an account that can install the agent and remove it again", async () => {
      const manifest = renderManifest({
        namespace: "rollcall-agent",
        image: "x:1",
        settings: {},
        deadlineSeconds: 600,
      });
      const objects = installationObjects(manifest, values);
      for (const object of objects) await installerApi?.apply(object, { fieldManager: "rollcall-hub" });
      for (const object of [...objects].reverse()) {
        const type = resourceTypeOf(object);
        if (!type) throw new Error(`${object.kind} is unknown`);
        expect(await installerApi?.get(refOf(type, object)), object.kind).toBeDefined();
        if (object.kind !== "Namespace") await installerApi?.delete(refOf(type, object));
      }
    });

    it("lets that account do nothing else: no other name, no other namespace, no right of its own making", async () => {
      const rbac = "rbac.authorization.k8s.io/v1";
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
      const namespace = "rollcall-agent";
      const rules = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
      const forbidden = [
        { apiVersion: "v1", kind: "Namespace", metadata: { name: "elsewhere" } },
        { apiVersion: "v1", kind: "Secret", metadata: { name: "another", namespace } },
        { apiVersion: "v1", kind: "Secret", metadata: { name: "rollcall-agent-values", namespace: "default" } },
        { apiVersion: rbac, kind: "ClusterRole", metadata: { name: "rollcall-agent.rollcall-agent" }, rules },
        { apiVersion: rbac, kind: "Role", metadata: { name: "rollcall-agent", namespace }, rules },
        { apiVersion: rbac, kind: "ClusterRoleBinding", metadata: { name: "rollcall-agent.rollcall-agent" }, roleRef },
      ];
      for (const object of forbidden) {
        const write = installerApi?.apply(object, { fieldManager: "rollcall-hub" });
        await expect(write, `${object.kind} ${object.metadata.name}`).rejects.toMatchObject({
          code: "E_KUBE_FORBIDDEN",
        });
      }
      await expect(installerApi?.list(resourceTypes.secret)).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN" });
    });

    it("puts the kubeconfig into a Secret of the hub with --hub-kubeconfig", async () => {
      // Another suite may have made it on the same hub.
      const metadata = { name: "fleet" };
      await adminApi.apply({ apiVersion: "v1", kind: "Namespace", metadata }, { fieldManager: "test" });
      const { text } = await run("eu-2", { "hub-kubeconfig": join(dir, "admin") });
      expect(text).toContain("Secret fleet/eu-2-kubeconfig on the hub");
      expect(text).toMatch(
        /^Only a daemon on this machine reaches https:\/\/127\.0\.0\.1:\d+\. For another one, run the .* --server/mu,
      );
      const ref = { type: resourceTypes.secret, namespace: "fleet", name: "eu-2-kubeconfig" };
      const stored = Buffer.from(textAt(await adminApi.get(ref), "data", "value") ?? "", "base64").toString("utf8");
      expect(await readKubeconfig(stored).getToken?.()).toBeTruthy();
      expect(await readdir(join(dir, "tree/clusters"))).toEqual(["eu-1.secret.yaml", "eu-1.yaml", "eu-2.yaml"]);
      await rm(join(dir, "tree/clusters/eu-2.yaml"));
      expect((await run("eu-2", { "hub-kubeconfig": join(dir, "admin") })).code, "once more").toBe(0);
    });

    it("writes a kubeconfig that kubectl reads, too, of a cluster with the name of a country such as no", async () => {
      const options = { "hub-kubeconfig": join(dir, "admin"), dir: await mkdtemp(join(dir, "country-")) };
      expect((await run("no", options)).code).toBe(0);
      const ref = { type: resourceTypes.secret, namespace: "fleet", name: "no-kubeconfig" };
      const stored = Buffer.from(textAt(await adminApi.get(ref), "data", "value") ?? "", "base64").toString("utf8");
      expect(parse(stored, { version: "1.1" })).toEqual(parse(stored));
    });

    it("makes the kubeconfig of a declared cluster anew, as after the loss of a hub, and leaves its file as it is", async () => {
      const tree = await mkdtemp(join(dir, "declared-"));
      const onHub = { dir: tree, "hub-kubeconfig": join(dir, "admin") };
      await run("eu-7", { ...onHub, label: "env=prod" });
      const path = join(tree, "clusters/eu-7.yaml");
      const file = await readFile(path, "utf8");
      const ref = { type: resourceTypes.secret, namespace: "fleet", name: "eu-7-kubeconfig" };
      await adminApi.delete(ref);
      const { text } = await run("eu-7", onHub);
      expect(text).toContain(`${path} declares the cluster, and stays as it is.\n`);
      expect(text).not.toContain("Commit");
      expect(textAt(await adminApi.get(ref), "data", "value")).toBeDefined();
      expect(await readFile(path, "utf8")).toBe(file);

      const recipient = await identityToRecipient(await generateIdentity());
      const inRepository = await run("eu-7", { dir: tree, "age-recipient": recipient });
      expect(inRepository.text).toContain("Commit and push the new kubeconfig.");
      expect(inRepository.text).toContain(
        `For another one, delete ${join(tree, "clusters/eu-7.secret.yaml")}, and run `,
      );
      expect(await readdir(join(tree, "clusters"))).toEqual(["eu-7.secret.yaml", "eu-7.yaml"]);
    });

    it("makes the kubeconfig anew with the address of --server, as the first try advises", async () => {
      const onHub = { dir: await mkdtemp(join(dir, "advised-")), "hub-kubeconfig": join(dir, "admin") };
      expect((await run("eu-9", onHub)).text).toContain("run the command again with --server");
      await run("eu-9", { ...onHub, server: "https://cluster.invalid:6443" });
      const ref = { type: resourceTypes.secret, namespace: "fleet", name: "eu-9-kubeconfig" };
      const stored = Buffer.from(textAt(await adminApi.get(ref), "data", "value") ?? "", "base64").toString("utf8");
      expect(readKubeconfig(stored).server).toBe("https://cluster.invalid:6443");
    });

    it.each<{ what: string; spec: string; more: Record<string, string> }>([
      { what: "by another Secret", spec: "{kubeConfigSecretRef: {name: other}}", more: {} },
      { what: "by another key", spec: "{kubeConfigSecretRef: {name: eu-8-kubeconfig, key: other}}", more: {} },
      { what: "without a kubeconfig", spec: "{}", more: {} },
      { what: "with labels", spec: "{kubeConfigSecretRef: {name: eu-8-kubeconfig}}", more: { label: "env=prod" } },
    ])("asks no cluster for one that is declared $what", async ({ spec, more }) => {
      const tree = await mkdtemp(join(dir, "other-"));
      const kind = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster";
      await writeFile(join(tree, "eu.yaml"), `${kind}\nmetadata: {name: eu-8, namespace: fleet}\nspec: ${spec}\n`);
      const options = { dir: tree, "hub-kubeconfig": join(dir, "admin"), kubeconfig: join(dir, "nothing"), ...more };
      await expect(run("eu-8", options)).rejects.toMatchObject({
        code: "E_USAGE",
        message: "Cluster fleet/eu-8 is declared in eu.yaml: edit that file",
      });
    });

    it("leaves a kubeconfig on the hub that another program made, such as Cluster API, and makes nothing for it", async () => {
      const metadata = { name: "eu-3-kubeconfig", namespace: "fleet" };
      const other = { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data: { value: "b3RoZXI=" } };
      await adminApi.create(other, { fieldManager: "cluster-api" });
      const adding = run("eu-3", { "hub-kubeconfig": join(dir, "admin"), kubeconfig: join(dir, "nothing") });
      await expect(adding).rejects.toMatchObject({
        code: "E_USAGE",
        message:
          "Secret fleet/eu-3-kubeconfig is on the hub, and this command did not make it: to use it, write a file of " +
          "the cluster with spec.kubeConfigSecretRef.name: eu-3-kubeconfig; otherwise choose another name",
      });
      const ref = { type: resourceTypes.secret, ...metadata };
      expect(textAt(await adminApi.get(ref), "data", "value")).toBe("b3RoZXI=");
      expect(await readdir(join(dir, "tree/clusters"))).not.toContain("eu-3.yaml");
      await adminApi.delete(ref);
    });

    it.each(["clusters/eu-4.yaml", "clusters/eu-4.secret.yaml"])(
      "asks no cluster, and writes no other file, where %s is there",
      async (path) => {
        const tree = await mkdtemp(join(dir, "taken-"));
        await mkdir(join(tree, "clusters"));
        await writeFile(join(tree, path), "# of another program\n");
        const recipient = await identityToRecipient(await generateIdentity());
        const adding = run("eu-4", { dir: tree, kubeconfig: join(dir, "nothing"), "age-recipient": recipient });
        await expect(adding).rejects.toMatchObject({
          code: "E_USAGE",
          message: `${join(tree, path)} exists: choose another name, or edit the file`,
        });
        expect(await readdir(join(tree, "clusters"))).toEqual([path.replace("clusters/", "")]);
      },
    );

    it("stores a kubeconfig in one place", async () => {
      const recipient = await identityToRecipient(await generateIdentity());
      const both = {
        "age-recipient": recipient,
        "hub-kubeconfig": join(dir, "admin"),
        kubeconfig: join(dir, "nothing"),
      };
      await expect(run("eu-5", both)).rejects.toThrow(
        "choose where the cluster's kubeconfig is stored: --age-recipient (encrypted, in the repository) or --hub-kubeconfig (a Secret on the hub)",
      );
    });

    it("names the address of --server, which this machine need not reach", async () => {
      const options = { "hub-kubeconfig": join(dir, "admin"), server: "https://cluster.invalid:6443" };
      const { text } = await run("eu-6", options);
      expect(text).not.toContain("Only a daemon on this machine");
      const ref = { type: resourceTypes.secret, namespace: "fleet", name: "eu-6-kubeconfig" };
      const stored = Buffer.from(textAt(await adminApi.get(ref), "data", "value") ?? "", "base64").toString("utf8");
      expect(readKubeconfig(stored).server).toBe("https://cluster.invalid:6443");
    });

    it("makes the hub a member of its own fleet by --local, whatever the kube context is", async () => {
      const elsewhere = { kubeconfig: join(dir, "nothing"), local: "true" };
      await expect(run("local", elsewhere)).rejects.toThrow(/name its --hub-kubeconfig/u);
      const { text } = await run("local", { ...elsewhere, "hub-kubeconfig": join(dir, "admin") });
      expect(text).toContain("Secret fleet/local-kubeconfig on the hub");
      const ref = { type: resourceTypes.secret, namespace: "fleet", name: "local-kubeconfig" };
      const stored = Buffer.from(textAt(await adminApi.get(ref), "data", "value") ?? "", "base64").toString("utf8");
      const connection = readKubeconfig(stored);
      expect(connection.server).toBe(readKubeconfig(server.kubeconfig).server);
      const localApi = apiOf(connection);
      try {
        expect(await localApi.get({ type: resourceTypes.namespace, name: "rollcall-agent" })).toBeDefined();
        // Who may use this Secret can install an agent on the hub, and nothing else.
        const secrets = { type: resourceTypes.secret, namespace: "fleet", name: "local-kubeconfig" };
        await expect(localApi.get(secrets)).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN" });
        await expect(localApi.list(resourceTypes.cluster)).rejects.toMatchObject({ code: "E_KUBE_FORBIDDEN" });
      } finally {
        await localApi.close();
      }
      const file = await readFile(join(dir, "tree/clusters/local.yaml"), "utf8");
      expect(file).toContain("kubeConfigSecretRef:\n    name: local-kubeconfig\n");
    });
  });
}
