import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import type { ExecPluginInput } from "../../../src/kube/run-exec-plugin.ts";
import { runExecPlugin } from "../../../src/kube/run-exec-plugin.ts";

const answer = `echo '{"kind":"ExecCredential","status":{"token":"t"}}'`;

describe("runExecPlugin", () => {
  let folder = "";
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "rollcall-plugin-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const run = (exec: JsonObject, options: Partial<ExecPluginInput> = {}) =>
    runExecPlugin({
      exec,
      cluster: {},
      folder,
      environment: { PATH: process.env["PATH"], REGION: "eu" },
      hasTerminal: false,
      ...options,
    });
  const runScript = (script: string, exec: JsonObject = {}, options: Partial<ExecPluginInput> = {}) =>
    run({ command: "sh", args: ["-c", script], ...exec }, options);

  it("ends the input of a plugin that asks a user, where there is no terminal", async () => {
    expect(await runScript(`read answer; ${answer}`)).toMatchObject({ token: "t" });
  });

  it("gives a plugin its environment, and what it is for", async () => {
    const print = `echo "{\\"status\\":{\\"token\\":\\"$REGION $NAME\\",\\"clientCertificateData\\":\\"$(echo $KUBERNETES_EXEC_INFO | tr '\\"' "'")\\"}}"`;
    const cluster = {
      server: "https://hub.example",
      extensions: [{ name: "client.authentication.k8s.io/exec", extension: { audience: "fleet" } }],
    };
    const exec = {
      apiVersion: "client.authentication.k8s.io/v1beta1",
      env: [{ name: "NAME", value: "of the kubeconfig" }],
      provideClusterInfo: true,
    };
    const { token, certPem } = await runScript(print, exec, { cluster });
    expect(token).toBe("eu of the kubeconfig");
    expect(JSON.parse(certPem?.replaceAll("'", '"') ?? "")).toEqual({
      kind: "ExecCredential",
      apiVersion: "client.authentication.k8s.io/v1beta1",
      spec: { interactive: false, cluster: { server: "https://hub.example", config: { audience: "fleet" } } },
    });
  });

  it("starts a plugin whose path is relative to the kubeconfig", async () => {
    await mkdir(join(folder, "bin"));
    await writeFile(join(folder, "bin/plugin"), `#!/bin/sh\n${answer}\n`);
    await chmod(join(folder, "bin/plugin"), 0o755);
    expect(await run({ command: "./bin/plugin" })).toMatchObject({ token: "t" });
  });

  it("reads until when the credential is valid", async () => {
    const credential = { status: { token: "t", expirationTimestamp: "2026-01-02T03:04:05Z" } };
    expect(await runScript(`echo '${JSON.stringify(credential)}'`)).toEqual({
      token: "t",
      certPem: undefined,
      keyPem: undefined,
      expiresAtMs: Date.parse("2026-01-02T03:04:05Z"),
    });
  });

  it.each([
    {
      reason: "ends with an error",
      script: "echo 'please log in' >&2; exit 3",
      message: "it ended with 3: please log in",
    },
    { reason: "ends with an error and no text", script: "exit 3", message: "it ended with 3" },
    { reason: "prints other text", script: "echo secret", message: "it printed no ExecCredential with a status" },
    {
      reason: "has no credential in its answer",
      script: `echo '{"status":{}}'`,
      message: "its ExecCredential has neither a token nor a client certificate",
    },
  ])("reports a plugin that $reason", async ({ script, message }) => {
    await expect(runScript(script)).rejects.toThrow(new Error(message));
  });

  it("stops a plugin that does not end, and prints what it asked", async () => {
    const running = runScript("echo 'open https://login.example' >&2; sleep 60", {}, { timeoutMs: 2000 });
    await expect(running).rejects.toThrow(new Error("it did not end within 2 s: open https://login.example"));
  });

  it("prints the hint of the kubeconfig where a plugin is not installed", async () => {
    const exec = { command: "rollcall-no-such-plugin", installHint: "Install it with brew.\nOr without." };
    await expect(run(exec)).rejects.toThrow(
      new Error("rollcall-no-such-plugin is not installed, or not in PATH; Install it with brew."),
    );
    await expect(run({ command: "rollcall-no-such-plugin" })).rejects.toThrow(
      new Error("rollcall-no-such-plugin is not installed, or not in PATH"),
    );
    await expect(run({})).rejects.toThrow(new Error("it names no command"));
  });

  it("takes a plugin for not installed that PATH has as a file which no user may run", async () => {
    await writeFile(join(folder, "rollcall-no-such-plugin"), "");
    const running = run({ command: "rollcall-no-such-plugin" }, { environment: { PATH: folder } });
    await expect(running).rejects.toThrow(new Error("rollcall-no-such-plugin is not installed, or not in PATH"));
  });

  it("names what keeps a plugin from being started", async () => {
    await writeFile(join(folder, "plugin"), "");
    const running = run({ command: "./plugin", installHint: "Install it with brew." });
    await expect(running).rejects.toThrow(new Error("./plugin cannot be started: EACCES"));
  });

  it("stops a plugin that prints without end", async () => {
    await expect(run({ command: "yes" })).rejects.toThrow(new Error("it was stopped"));
  });

  it("shows the first line of what a plugin reported, and 300 characters of it at most", async () => {
    const script = `echo >&2; echo '  ${"x".repeat(400)}' >&2; exit 3`;
    await expect(runScript(script)).rejects.toThrow(new Error(`it ended with 3: ${"x".repeat(300)}`));
  });

  const printInfo = `echo "{\\"status\\":{\\"token\\":\\"$(echo $KUBERNETES_EXEC_INFO | tr '\\"' "'")\\"}}"`;
  const infoOf = async (exec: JsonObject, options: Partial<ExecPluginInput>): Promise<unknown> =>
    JSON.parse(((await runScript(printInfo, exec, options)).token ?? "").replaceAll("'", '"'));

  it.each([
    { interactiveMode: "IfAvailable", hasTerminal: true, interactive: true },
    { interactiveMode: "Always", hasTerminal: true, interactive: true },
    { interactiveMode: "Never", hasTerminal: true, interactive: false },
    { interactiveMode: "IfAvailable", hasTerminal: false, interactive: false },
  ])("lets a plugin of mode $interactiveMode ask the user of a terminal ($hasTerminal): $interactive", async (row) => {
    const { interactiveMode, hasTerminal, interactive } = row;
    expect(await infoOf({ interactiveMode }, { hasTerminal })).toMatchObject({
      apiVersion: "client.authentication.k8s.io/v1",
      spec: { interactive },
    });
  });

  it.each([
    { reason: "nothing is meant for it", extensions: undefined, config: undefined },
    { reason: "that is for another program", extensions: [{ name: "other", extension: { a: 1 } }], config: undefined },
    {
      reason: "one of several is for it",
      extensions: [
        { name: "other", extension: { a: 1 } },
        { name: "client.authentication.k8s.io/exec", extension: { b: 2 } },
      ],
      config: { b: 2 },
    },
  ])("gives a plugin that asks for the cluster no extension but its own, where $reason", async (row) => {
    const { extensions, config } = row;
    const cluster: JsonObject = { server: "https://hub.example", ...(extensions ? { extensions } : {}) };
    const expected = { server: "https://hub.example", ...(config ? { config } : {}) };
    expect(await infoOf({ provideClusterInfo: true }, { cluster })).toHaveProperty("spec", {
      interactive: false,
      cluster: expected,
    });
    expect(await infoOf({}, { cluster })).toHaveProperty("spec", { interactive: false });
  });

  it("does not start a plugin that needs a terminal where there is none", async () => {
    await expect(runScript(answer, { interactiveMode: "Always" })).rejects.toThrow(
      new Error("it asks for input, and standard input is no terminal"),
    );
  });
});
