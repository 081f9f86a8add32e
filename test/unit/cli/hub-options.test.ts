import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";
import type { ScriptedServer } from "../kube/scripted-server.ts";
import { answerStatus, startScriptedServer } from "../kube/scripted-server.ts";

let folder: string;
let hub: ScriptedServer;
/** A hub that has nothing, and a kubeconfig of it with two contexts. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "rollcall-hub-options-"));
  hub = await startScriptedServer((_request, response) => answerStatus(response, 404, { reason: "NotFound" }));
  const certificate = Buffer.from(hub.caPem).toString("base64");
  const names = ["one", "two"];
  const kubeconfig = {
    clusters: [{ name: "hub", cluster: { server: hub.url, "certificate-authority-data": certificate } }],
    users: names.map((name) => ({ name, user: { token: name } })),
    contexts: names.map((name) => ({ name, context: { cluster: "hub", user: name } })),
    "current-context": "one",
  };
  await writeFile(join(folder, "kubeconfig"), JSON.stringify(kubeconfig));
});
beforeEach(() => void hub.requests.splice(0));
afterAll(async () => {
  await hub.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The token and path of the calls that a command makes until it ends. */
async function callsOf(argv: readonly string[], ...options: readonly string[]): Promise<readonly string[]> {
  const given = ["--kubeconfig", join(folder, "kubeconfig"), ...options];
  await expect(runProgram([...argv, ...given], new AbortController().signal, "0")).rejects.toThrow(/404|the hub at/u);
  return hub.requests.map(({ headers, url }) => `${headers.authorization?.replace("Bearer ", "")} ${url.pathname}`);
}

const readsRepository: readonly (readonly string[])[] = [
  ["plan", "--repo", "https://git.example.com/fleet.git"],
  ["suspend"],
  ["resume"],
  ["reconcile"],
  ["approve-deletions", "1234567", "1"],
];
const readsOthers: readonly (readonly string[])[] = [
  ["status"],
  ["revoke", "eu-1"],
  ["backup", "--output-file", "key"],
  ["trust", "replace"],
  ["uninstall", "--all", "--yes"],
  ["run", "--repo", "https://git.example.com/fleet.git"],
  ["import", "fleet", "--dry-run"],
];

describe("the hub of a command", () => {
  it.each([...readsRepository, ...readsOthers])("is the one of --kubeconfig and --context: %s", async (...argv) => {
    const calls = await callsOf(argv, "--context", "two");
    expect(calls.filter((call) => !call.startsWith("two /"))).toEqual([]);
    expect(calls.length).toBeGreaterThan(0);
  });

  it.each(["plan", "check"])("is the one that the file of --config names: %s", async (command) => {
    const config = join(folder, "config.yaml");
    await writeFile(config, JSON.stringify({ kubeconfig: join(folder, "kubeconfig"), context: "two" }));
    const argv = [command, "--repo", "https://git.example.com/fleet.git", "--config", config];
    // A hub that has nothing refuses the one, and is a finding of the other.
    await runProgram(argv, new AbortController().signal, "0").catch(String);
    expect(hub.requests.map(({ headers }) => headers.authorization)).toContain("Bearer two");
  });

  it.each(readsRepository)("has the Repository of --namespace and --repository: %s", async (...argv) => {
    const calls = await callsOf(argv, "--namespace", "elsewhere", "--repository", "other");
    expect(calls).toContain("one /apis/rollcall.dev/v1alpha1/namespaces/elsewhere/repositories/other");
  });

  it.each(["-1s", "0", "soon"])("is asked nothing by uninstall with --timeout %s", async (timeout) => {
    const argv = ["uninstall", "--all", "--yes", "--kubeconfig", join(folder, "kubeconfig"), "--timeout", timeout];
    const uninstalling = runProgram(argv, new AbortController().signal, "0");
    await expect(uninstalling).rejects.toThrow(`--timeout: ${timeout} is no duration such as 30s or 5m`);
    expect(hub.requests).toEqual([]);
  });

  it("keeps its trust key in --namespace, which backup reads", async () => {
    const calls = await callsOf(["backup", "--output-file", "key"], "--namespace", "elsewhere");
    expect(calls).toContain("one /api/v1/namespaces/elsewhere/secrets/rollcall-trust-key");
  });

  it("keeps its trust key in --namespace, which trust replace reads", async () => {
    const calls = await callsOf(["trust", "replace"], "--namespace", "elsewhere");
    expect(calls).toContain("one /api/v1/namespaces/elsewhere/secrets/rollcall-trust-key");
  });
});
