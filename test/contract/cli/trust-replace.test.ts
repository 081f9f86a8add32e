import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runBackup } from "../../../src/cli/commands/backup.ts";
import { runTrustReplace } from "../../../src/cli/commands/trust-replace.ts";
import { createSimulatedHub } from "../../../src/hub/rehearsal/simulated-hub.ts";
import { readTrustKey, trustKeySecretName } from "../../../src/hub/trust-key.ts";
import { crds } from "../../../src/model/generated/crds.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { publishHubKey, readHubKey } from "../../../src/recovery/restore-trust-key.ts";
import { runCommand } from "../../support/plain-context.ts";
import type { CommandSession } from "./command-session.ts";
import { openCommandSession } from "./command-session.ts";

describe("rollcall trust replace", () => {
  let commands: CommandSession;
  beforeAll(async () => {
    commands = await openCommandSession(
      "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\nmetadata: {name: c1}\nspec: {}\n",
    );
  });
  afterAll(() => commands.close());

  const usual = () => ({ kubeconfig: commands.kubeconfig, namespace: commands.session.namespace });
  const replace = (options: Readonly<Record<string, boolean>> = {}) =>
    runCommand("trust replace", runTrustReplace, { options: { ...usual(), ...options } });
  const read = async () => {
    const { api, namespace } = commands.session;
    const identity = await readTrustKey({ hubApi: api, namespace });
    if (identity === undefined) throw new Error("no trust key");
    return identity;
  };

  it("prints what to do next, and keeps the hub's id", async () => {
    const before = await read();
    const { code, text } = await replace();
    const { hubId, trust } = await read();
    expect(code).toBe(0);
    expect(text).toMatch(/^The hub's trust key is now sha256:[0-9a-f]{64}, number 2\.\n1\. Start the daemon again/u);
    const restart = `kubectl --namespace ${commands.session.namespace} rollout restart deployment rollcall\n`;
    expect(text).toContain(restart);
    expect(text).toContain("2. Write a new backup with `rollcall backup`");
    expect(text).not.toContain("3.");
    expect(hubId).toBe(before.hubId);
    expect(trust.succession).toMatchObject({ number: 2 });
    expect(trust.succession?.replacements).toHaveLength(1);
  });

  it("asks at a terminal, and changes nothing for any answer but yes", async () => {
    const before = await read();
    const ask = { options: usual(), isTerminal: true };
    const refused = runCommand("trust replace", runTrustReplace, { ...ask, stdin: "y\n" });
    await expect(refused).rejects.toThrow("nothing was changed; without a question: --yes");
    expect((await read()).trust.publicKey).toEqual(before.trust.publicKey);
    const { text } = await runCommand("trust replace", runTrustReplace, { ...ask, stdin: "yes\n" });
    expect(text).toMatch(
      /^Replace the trust key of https:.*\? Earlier backups .* Type yes to continue: The hub's trust/u,
    );
  });

  it("leads nowhere from a key that --revoke-old revokes", async () => {
    const { text } = await replace({ "revoke-old": true });
    expect(text).toContain("3. Give new values to agents that have not reached the hub");
    expect((await read()).trust.succession).toMatchObject({ number: 4, replacements: [] });
  });

  it("has no backup where no daemon has run, or its Secret has no key", async () => {
    const { api, workspace } = commands.session;
    const path = join(commands.folder, "no-key.yaml");
    const refused = () =>
      expect(
        runCommand("backup", runBackup, { options: { ...usual(), namespace: workspace, "output-file": path } }),
      ).rejects.toMatchObject({ code: "E_KUBE_NOT_FOUND" });
    await refused();
    const metadata = { namespace: workspace, name: trustKeySecretName };
    await api.create({ apiVersion: "v1", kind: "Secret", metadata }, { fieldManager: "test" });
    await refused();
    expect(existsSync(path)).toBe(false);
  });

  it("is in a backup that kubectl applies to a namespace with the name of a country such as no", async () => {
    const { api, namespace } = commands.session;
    const path = join(commands.folder, "country.yaml");
    const secret = await api.get({ type: resourceTypes.secret, namespace, name: trustKeySecretName });
    const writer = { fieldManager: "test" };
    await api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: "no" } }, writer);
    const metadata = { namespace: "no", name: trustKeySecretName };
    await api.create({ apiVersion: "v1", kind: "Secret", metadata, data: secret?.["data"] }, writer);
    await runCommand("backup", runBackup, { options: { ...usual(), namespace: "no", "output-file": path } });
    expect(parse(await readFile(path, "utf8"), { version: "1.1" })).toMatchObject({ metadata });
  });

  it("is part of a backup, from which another hub is the same hub to agents", async () => {
    await replace();
    const path = join(commands.folder, "trust-key.yaml");
    await runCommand("backup", runBackup, { options: { ...usual(), "output-file": path } });
    expect(Object.keys((parse(await readFile(path, "utf8")) as { data: object }).data)).toEqual([
      "key",
      "epoch",
      "hubId",
      "succession",
    ]);
    const { api: hubApi } = createSimulatedHub(crds, () => 0);
    const { signal } = new AbortController();
    const options = { hubApi, namespace: "new", trustKeyFile: path, signal };
    await publishHubKey(options, await readHubKey(options), 1);
    const ref = { type: resourceTypes.secret, namespace: "new", name: trustKeySecretName };
    const data = { validFrom: Buffer.from("2027-01-01T00:00:00Z").toString("base64") };
    await hubApi.mergePatch(ref, { data }, { fieldManager: "test" });
    // A daemon that does not know such keys must not start there.
    const definition = { type: resourceTypes.customResourceDefinition, name: "clusters.rollcall.dev" };
    expect((await hubApi.get(definition))?.metadata.annotations).toMatchObject({ "rollcall.dev/data-format": "2" });
    const before = await read();
    const restored = await readTrustKey({ hubApi, namespace: "new" });
    expect(restored).toMatchObject({
      hubId: before.hubId,
      trust: { publicKey: before.trust.publicKey, succession: before.trust.succession, epoch: 2 },
    });
  });
});
