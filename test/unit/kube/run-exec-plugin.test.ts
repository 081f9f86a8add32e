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
    const running = runScript("echo 'open https://login.example' >&2; sleep 60", {}, { timeoutMs: 500 });
    await expect(running).rejects.toThrow(new Error("it did not end within 0.5 s: open https://login.example"));
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

  it("does not start a plugin that needs a terminal where there is none", async () => {
    await expect(runScript(answer, { interactiveMode: "Always" })).rejects.toThrow(
      new Error("it asks for input, and standard input is no terminal"),
    );
  });
});
