import { mkdir, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { objectsAt } from "../../src/core/read-json.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { credentialForms, searchPieces } from "../support/credential-forms.ts";
import type { ForgeServer } from "../support/forge/forge-server.ts";
import { startForgeServer } from "../support/forge/forge-server.ts";
import { forgeToken } from "../support/forge/forge-state.ts";
import type { GitHttpServer } from "../support/git-http-server.ts";
import { startGitHttpServer } from "../support/git-http-server.ts";
import type { TestRepository } from "../support/git-repositories.ts";
import { createRepository, makeTempFolder } from "../support/git-repositories.ts";
import type { HubProcess } from "../support/process-fleet.ts";
import { daemonNamespace, makeWorkspace, startHubProcess, workspace } from "../support/process-fleet.ts";
import type { RollcallProcess } from "../support/rollcall-process.ts";
import { runRollcall, startRollcall } from "../support/rollcall-process.ts";
import type { Place } from "../support/secret-search.ts";
import { placesOfApi } from "../support/secret-search.ts";
import { until } from "../support/until.ts";
import { answerStatus, startScriptedServer } from "../unit/kube/scripted-server.ts";
import type { ScriptedServer } from "../unit/kube/scripted-server.ts";

/** A member whose API server echoes the token of its caller, in one form. */
interface Echo {
  readonly name: string;
  readonly form: string;
  readonly token: string;
  readonly text: string;
}

const gitPassword = randomBytes(24).toString("hex");
const formNames = credentialForms("a token of any kind").map(({ name }) => name);
const echoes: readonly Echo[] = formNames.map((form, index) => {
  const token = `${randomBytes(24).toString("base64")}.${randomBytes(24).toString("base64url")}`;
  const text = credentialForms(token).find(({ name }) => name === form)?.text ?? "";
  return { name: `member-${index}`, form, token, text };
});

describe("a token that a member's API server echoes", () => {
  let folder: Awaited<ReturnType<typeof makeTempFolder>>;
  let repository: TestRepository;
  let gitServer: GitHttpServer;
  let forge: ForgeServer;
  let hub: HubProcess;
  let member: ScriptedServer;
  let daemon: RollcallProcess;
  const dirOf = (name: string): string => join(folder.path, name);

  beforeAll(async () => {
    folder = await makeTempFolder();
    await mkdir(dirOf("git/acme"), { recursive: true });
    repository = await createRepository(dirOf("git/acme/fleet.git"));
    gitServer = await startGitHttpServer({ root: dirOf("git"), auth: { username: "rollcall", password: gitPassword } });
    await writeFile(dirOf("git-token"), gitPassword, { mode: 0o600 });
    forge = await startForgeServer("Gitea");
    hub = await startHubProcess(dirOf("hub"));
    await makeWorkspace(hub.api);
    member = await startScriptedServer(({ headers }, response) => {
      const echo = echoes.find(({ token }) => headers.authorization === `Bearer ${token}`);
      answerStatus(response, 403, { reason: "Forbidden", message: echo?.text ?? "who are you?" });
    });
    const create = (namespace: string, name: string, stringData: Record<string, string>) =>
      hub.api.create(
        { apiVersion: "v1", kind: "Secret", metadata: { name, namespace }, stringData },
        { fieldManager: "test" },
      );
    await create(daemonNamespace, "forge", { token: forgeToken });
    for (const { name, token } of echoes)
      await create(workspace, `${name}-kubeconfig`, { value: kubeconfigOf(member, token) });
    await repository.commit({
      files: Object.fromEntries(echoes.map(({ name }) => [`${name}.yaml`, clusterFile(name)])),
    });
    daemon = startRollcall([
      ...["run", "--install-crds", "--log-level", "debug", "--cache-dir", dirOf("cache")],
      ...["--repo", gitServer.urlOf("acme/fleet.git"), "--git-username", "rollcall"],
      ...["--git-token-file", dirOf("git-token")],
      ...["--kubeconfig", hub.kubeconfigPath, "--workspaces", workspace, "--default-workspace", workspace],
      ...["--interval", "1s", "--write-back-interval", "1s"],
      ...["--forge", "Gitea", "--forge-api-url", forge.apiUrl, "--forge-secret", "forge"],
      ...["--metrics-address", "127.0.0.1:0", "--page-address", "127.0.0.1:0", "--page-access", "Open"],
    ]);
  });
  afterAll(async () => {
    daemon.kill("SIGTERM");
    await daemon.finished;
    await member.stop();
    await hub.stop();
    await forge.stop();
    await gitServer.close();
    await folder.remove();
  });

  const look = async (path: string, message: string): Promise<Place> => {
    const line = new RegExp(`"port":(\\d+)[^\\n]*"msg":"${message}"`, "u");
    await daemon.whenPrinted(line);
    const answer = await fetch(`http://127.0.0.1:${line.exec(daemon.output())?.[1]}${path}`);
    expect(answer.status, path).toBe(200);
    return { where: `GET ${path}`, text: await answer.text() };
  };

  it("A55 is in no condition, event, log, metric, page, commit, command or comment, in any form", async () => {
    await daemon.whenPrinted(/serving the page/u);
    await until(
      async () => (await hub.api.list(resourceTypes.cluster, { namespace: workspace })).items,
      (clusters) =>
        clusters.filter((cluster) =>
          objectsAt(cluster, "status", "conditions").some(({ reason }) => reason === "KubeconfigForbidden"),
        ).length === echoes.length,
    );
    await until(
      () => repository.git("grep", "-l", "KubeconfigForbidden", "rollcall/status").catch(() => ""),
      (files) => files.split("\n").filter((line) => line !== "").length >= echoes.length,
    );
    const base = await repository.head();
    const headCommit = await repository.commit({
      branch: "change",
      files: { "member-0.yaml": null },
      ...(base ? { from: base } : {}),
    });
    forge.state.commits.push(headCommit);
    const pull = { number: 1, title: "Change it", body: "", head: "change", headCommit, base: "main" };
    forge.state.pulls.push({ ...pull, isOpen: true, isDraft: false, headRepositoryId: 1 });
    await until(
      async () => forge.state.comments.length,
      (count) => count > 0,
    );
    const status = await runRollcall(["status", "--kubeconfig", hub.kubeconfigPath]);
    const one = await runRollcall(["status", "member-1", "--kubeconfig", hub.kubeconfigPath]);
    const json = await runRollcall(["status", "--output", "json", "--kubeconfig", hub.kubeconfigPath]);
    const onPage = ["/api/v1/fleet", "/api/v1/clusters", `/api/v1/clusters/${workspace}/member-1`, "/api/v1/history"];
    const places: readonly Place[] = [
      ...(await placesOfApi(hub.api, "the hub")),
      { where: "log", text: daemon.output() },
      await look("/metrics", "serving health and metrics"),
      ...(await Promise.all(onPage.map((path) => look(path, "serving the page")))),
      { where: "commits", text: await repository.git("cat-file", "--batch-all-objects", "--batch") },
      ...[status, one, json].map(({ stdout, stderr }) => ({ where: "rollcall status", text: stdout + stderr })),
      ...forge.calls.map(({ path, body }) => ({ where: "calls of the forge", text: `${path} ${body}` })),
    ];
    // The places are those that report the refusal at all.
    for (const where of [/^clusters of the hub/u, /^events of the hub/u, /^log/u, /^GET .*member-1/u, /^commits/u])
      expect(
        places.some((place) => where.test(place.where) && /forbidden/iu.test(place.text)),
        String(where),
      ).toBe(true);
    expect(one.stdout).toContain("KubeconfigForbidden");
    const search = searchPieces(echoes.map(({ token }) => token));
    const found = places.flatMap(({ where, text }) =>
      [...search(text)].map(([secret, piece]) => {
        const { form } = echoes.find(({ token }) => token === secret) ?? {};
        return `${form} in ${where}: ${piece}`;
      }),
    );
    expect(found).toEqual([]);
    // The search itself finds each form.
    expect(echoes.filter(({ text, token }) => !search(text).has(token) && !isHidden(text))).toEqual([]);
  });
});

/** Between its characters are invisible ones. */
function isHidden(text: string): boolean {
  return /\p{Cf}/u.test(text);
}

function kubeconfigOf(server: ScriptedServer, token: string): string {
  const cluster = { server: server.url, "certificate-authority-data": Buffer.from(server.caPem).toString("base64") };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "member", cluster }],
    users: [{ name: "hub", user: { token } }],
    contexts: [{ name: "member", context: { cluster: "member", user: "hub" } }],
    "current-context": "member",
  });
}

function clusterFile(name: string): string {
  const head = "apiVersion: rollcall.dev/v1alpha1\nkind: Cluster\n";
  return `${head}metadata: { name: ${name} }\nspec:\n  kubeConfigSecretRef: { name: ${name}-kubeconfig }\n`;
}
