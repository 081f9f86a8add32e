import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { CommandContext } from "../../../src/cli/commands/command-context.ts";
import { runDescribe } from "../../../src/cli/commands/describe.ts";
import { runEvents } from "../../../src/cli/commands/events.ts";
import { runGet } from "../../../src/cli/commands/get.ts";
import { runImport } from "../../../src/cli/commands/import.ts";
import { runJoin } from "../../../src/cli/commands/join.ts";
import { runLogs } from "../../../src/cli/commands/logs.ts";
import { runResume, runRevoke, runSuspend } from "../../../src/cli/commands/operate.ts";
import { runStatus } from "../../../src/cli/commands/status.ts";
import { runTop } from "../../../src/cli/commands/top.ts";
import { describeFailure } from "../../../src/cli/explain-failure.ts";
import type { CommandName } from "../../../src/settings/option-entry.ts";
import { makeTempFolder } from "../../support/git-repositories.ts";
import { runCommand } from "../../support/plain-context.ts";
import type { ScriptedServer } from "../../unit/kube/scripted-server.ts";
import { startScriptedServer } from "../../unit/kube/scripted-server.ts";

/** Sets the title of a terminal and clears it, ends a line, turns the direction of writing, and leaves a word of a shell. */
const evil = "x'; touch y; '\u001b]0;t\u0007\u001b[2J\u202e";

const conditions = ["Ready", "Healthy", "Joined"].map((type) => ({
  type,
  status: "False",
  reason: `R${evil}`,
  message: `m${evil}`,
  lastTransitionTime: "2027-01-01T00:00:00Z",
}));

const metadata = {
  name: `n${evil}`,
  namespace: `w${evil}`,
  uid: "u",
  resourceVersion: "1",
  creationTimestamp: "2027-01-01T00:00:00Z",
  labels: { [`l${evil}`]: `v${evil}` },
};

const spec = {
  url: `https://h/${evil}`,
  ref: { branch: `b${evil}` },
  defaultWorkspace: "pr\u200bod",
  kubeConfigSecretRef: { name: `s${evil}`, key: `k${evil}` },
  agent: { namespace: `a${evil}` },
};

const status = {
  conditions,
  appliedCommit: `${evil}c`.slice(12),
  observedCommit: `\u001b[2J${evil}`,
  agent: { version: `v${evil}`, namespace: `a${evil}` },
  kubernetesVersion: `k${evil}`,
};

/** What the server answers to a request: an object of the kind that is asked for, or a list of one. */
function answer({ pathname }: URL): object {
  const [group = "", version = ""] = pathname.split("/").slice(2);
  const named = /\/(clusters|clusterregistrations|repositories|clustergroups|clusterregistrationtokens|events)(\/|$)/u;
  const [, plural, more] = named.exec(pathname) ?? [];
  const kinds: Readonly<Record<string, string>> = {
    clusters: "Cluster",
    clusterregistrations: "ClusterRegistration",
    repositories: "Repository",
    clustergroups: "ClusterGroup",
    clusterregistrationtokens: "ClusterRegistrationToken",
    events: "Event",
  };
  const kind = kinds[plural ?? ""] ?? "Other";
  const event = {
    type: "Warning",
    reason: `R${evil}`,
    message: `m${evil}`,
    involvedObject: {
      apiVersion: "rollcall.dev/v1alpha1",
      kind: "Cluster",
      name: metadata.name,
      namespace: metadata.namespace,
    },
  };
  const apiVersion = `${group}/${version}`;
  const object = { apiVersion, kind, metadata, spec, status, ...(kind === "Event" ? event : {}) };
  const items = kind === "Other" ? [] : [object];
  return more === "/" ? object : { apiVersion, kind: `${kind}List`, metadata: { resourceVersion: "1" }, items };
}

let server: ScriptedServer;
let folder: Awaited<ReturnType<typeof makeTempFolder>>;
let kubeconfig: string;

beforeAll(async () => {
  folder = await makeTempFolder();
  server = await startScriptedServer(({ url }, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer(url)));
  });
  const authority = Buffer.from(server.caPem).toString("base64");
  kubeconfig = join(folder.path, "kubeconfig");
  const config = {
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "c" } }],
    clusters: [{ name: "c", cluster: { server: server.url, "certificate-authority-data": authority } }],
    users: [{ name: "c", user: { token: "t" } }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
});

afterAll(async () => {
  await server.stop();
  await folder.remove();
});

type Run = (context: CommandContext) => Promise<number>;
type Options = Readonly<Record<string, string | boolean>>;

/** What a command prints, its failure included. */
async function printed(
  name: CommandName,
  run: Run,
  { args = [], options = {} }: { readonly args?: readonly string[]; readonly options?: Options } = {},
): Promise<string> {
  let text = "";
  const onText = (part: string): void => void (text += part);
  try {
    // None of them prints more to stdout than text, and to stderr what needs no terminal.
    await runCommand(name, (context) => run(context as CommandContext), {
      args,
      options: { kubeconfig, ...options },
      onText,
    });
  } catch (error) {
    text += describeFailure(error);
  }
  return text;
}

const place = `w${evil}/n${evil}`;

describe("a hub whose names and texts are written for a terminal", () => {
  it.each<[CommandName, Run, readonly string[], Options]>([
    ["status", runStatus, [], {}],
    ["status", runStatus, [place], {}],
    ["status", runStatus, [], { output: "json" }],
    ["get", runGet, ["clusters"], { "all-workspaces": true }],
    ["get", runGet, ["clusters"], { "all-workspaces": true, output: "name" }],
    ["get", runGet, ["repositories"], { "all-workspaces": true, output: "yaml" }],
    ["describe", runDescribe, ["cluster", place], {}],
    ["events", runEvents, [], {}],
    ["top", runTop, [], {}],
    ["logs", runLogs, [place], {}],
    ["suspend", runSuspend, [place], {}],
    ["resume", runResume, [place], {}],
    ["revoke", runRevoke, [place], {}],
    ["import", runImport, ["fleet"], { "dry-run": true }],
  ])("A129 writes nothing to it by %s", async (name, run, args, options) => {
    const text = await printed(name, run, { args, options });
    expect(text).toContain("x'; touch y; '\\");
    expect(text.match(/[^\n\u0020-\u007e]/gu)).toBeNull();
  });

  it("A255 writes nothing to it by join --dry-run, and prints what join would install", async () => {
    const text = `v\u009b31m${evil}`;
    const values = {
      hub: { url: "https://hub.example.com", caBundle: "", id: `sha256:${"a".repeat(64)}` },
      workspace: "fleet",
      token: { name: "edge", credential: "c", proofKey: Buffer.alloc(32).toString("base64") },
      agent: { env: [{ name: "A", value: text }] },
    };
    const path = join(folder.path, "values.json");
    await writeFile(path, JSON.stringify(values));
    const manifest = await printed("join", runJoin, { options: { values: path, "dry-run": true } });
    expect(manifest.match(/[^\n\u0020-\u007e]/gu)).toBeNull();
    const objects = parseAllDocuments(manifest).map((document) => document.toJS() as unknown);
    expect(JSON.stringify(objects)).toContain(JSON.stringify(text));
  });

  it("A255 prints the values that it has by get -o yaml", async () => {
    const options = { "all-workspaces": true, output: "yaml" };
    const list = parse(await printed("get", runGet, { args: ["repositories"], options })) as { items: unknown[] };
    expect(list.items).toMatchObject([{ metadata, spec, status }]);
  });

  it("A129 has each name in the command of rollcall logs as one word of a shell", async () => {
    const text = await printed("logs", runLogs, { args: [place] });
    for (const part of ["n", "s", "w", "a"]) expect(text).toContain(`'${part}x'\\''; touch y; '\\''`);
    expect(text).toContain(`'go-template={{index .data "kx'\\''; touch y; '\\''`);
  });
});

/** A part that this user may not read is left out; a part that the hub fails to read is no part that is empty. */
describe("a hub that fails to answer a part of what a command shows", () => {
  it.each<{ plural: string; name: CommandName; run: Run; call?: Parameters<typeof printed>[2] }>([
    { plural: "clustergroups", name: "status", run: runStatus, call: { options: { output: "json" } } },
    { plural: "clusterregistrationtokens", name: "status", run: runStatus },
    { plural: "clusterregistrations", name: "status", run: runStatus, call: { args: [place] } },
    { plural: "leases", name: "status", run: runStatus, call: { args: [place] } },
    { plural: "events", name: "describe", run: runDescribe, call: { args: ["cluster", place] } },
    { plural: "leases", name: "top", run: runTop },
  ])("reports the error of $plural by $name", async ({ plural, name, run, call }) => {
    const { script } = server;
    server.script = (request, response) => {
      if (!new RegExp(`/${plural}(?:/|$)`, "u").test(request.url.pathname)) return script(request, response);
      const refusal = { apiVersion: "v1", kind: "Status", status: "Failure", reason: "BadRequest", code: 400 };
      response.statusCode = 400;
      response
        .setHeader("content-type", "application/json")
        .end(JSON.stringify({ ...refusal, message: "the store cannot read it" }));
    };
    try {
      expect(await printed(name, run, call)).toContain("the store cannot read it");
    } finally {
      server.script = script;
    }
  });
});
