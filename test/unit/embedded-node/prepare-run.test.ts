import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { mapToHost } from "../../../src/embedded-node/host-mapping.ts";
import type { Program } from "../../../src/embedded-node/node-types.ts";
import { readPodSpec } from "../../../src/embedded-node/pod-spec.ts";
import { prepareRun } from "../../../src/embedded-node/prepare-run.ts";

const accountPath = "/var/run/secrets/kubernetes.io/serviceaccount";

/** How a container of these fields is run, below a folder that is shown as `DIR`. */
async function prepared(container: JsonObject, program: Partial<Program> = {}, host = "10.0.0.1") {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-run-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", uid: "u" },
    spec: { containers: [{ name: "main", image: "i", ...container }] },
  };
  const spec = readPodSpec(pod);
  const [first] = spec.containers;
  if (first === undefined) throw new Error("the Pod has no container");
  const run = await prepareRun({
    container: first,
    pod,
    spec,
    folder,
    volumes: { folderOf: (volume) => join(folder, "volumes", volume) },
    read: async () => undefined,
    resolveImage: () => ({ command: "program", args: ["first"], env: { OF: "image", B: "image" }, ...program }),
    node: { nodeName: "n", address: "127.0.0.1", allocatable: {} },
    service: { host, port: "6443" },
  });
  const shown = JSON.parse(JSON.stringify(run).replaceAll(folder, "DIR")) as Record<string, unknown>;
  return { folder, ...shown, kubeconfig: await readFile(join(folder, "kubeconfig"), "utf8").catch(() => undefined) };
}

const mounts = [
  { name: "outer", mountPath: "/etc/c/" },
  { name: "inner", mountPath: "/etc/c/inner", subPath: "sub" },
];

it.each([
  { reason: "the Pod's own, for a folder of the image", workingDir: "/srv", cwd: "DIR" },
  { reason: "the Pod's own, for none", workingDir: "", cwd: "DIR" },
  { reason: "that of a volume", workingDir: "/etc/c/a", cwd: "DIR/volumes/outer/a" },
  { reason: "that of the volume within another one", workingDir: "/etc/c/inner/a", cwd: "DIR/volumes/inner/sub/a" },
])("the folder of a program is $reason", async ({ workingDir, cwd }) => {
  expect(await prepared({ workingDir, volumeMounts: mounts })).toMatchObject({ cwd });
});

it.each(["postStart", "preStop"])("a container with a %s hook is not started without it", async (hook) => {
  await expect(prepared({ lifecycle: { [hook]: { sleep: { seconds: 1 } } } })).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
    message: "this node runs no lifecycle hooks (postStart, preStop)",
  });
  expect(await prepared({ lifecycle: {} })).toMatchObject({ command: "program" });
});

it("the words of a container follow those of the program, with variables and paths", async () => {
  const run = await prepared(
    {
      command: ["named", "/etc/c"],
      args: ["$(B)", "/etc/c/inner/x"],
      env: [{ name: "B", value: "own" }],
      volumeMounts: mounts,
    },
    { names: ["named"] },
  );
  expect(run).toMatchObject({
    command: "program",
    args: ["first", "DIR/volumes/outer", "own", "DIR/volumes/inner/sub/x"],
    env: { OF: "image", B: "own", KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "6443" },
  });
});

it.each([
  { reason: "by its variable", program: { readsKubeconfig: true }, args: ["first"], variable: "DIR/kubeconfig" },
  {
    reason: "by its flag",
    program: { kubeconfigFlag: "--to" },
    args: ["first", "--to=DIR/kubeconfig"],
    variable: undefined,
  },
])("a program that finds its cluster $reason has a kubeconfig of the account", async ({ program, args, variable }) => {
  const run = await prepared({ volumeMounts: [{ name: "account", mountPath: accountPath }] }, program, "::1");
  expect(run).toMatchObject({ args });
  expect((run as unknown as { env: Record<string, string> }).env["KUBECONFIG"]).toBe(variable);
  expect(run.kubeconfig).toContain('"server":"https://[::1]:6443"');
});

it.each([{ readsKubeconfig: true }, { kubeconfigFlag: "--to" }])(
  "a program in a Pod without an account has no kubeconfig: %o",
  async (program) => {
    const run = await prepared({}, program);
    expect(run).toMatchObject({ args: ["first"], kubeconfig: undefined });
    expect(run).not.toHaveProperty("env.KUBECONFIG");
  },
);

describe("a part of a volume", () => {
  const env = [
    { name: "POD", value: "p" },
    { name: "UP", value: ".." },
  ];
  const withPart = (part: JsonObject) =>
    prepared({ args: ["/data/x"], env, volumeMounts: [{ name: "v", mountPath: "/data", ...part }] });

  it.each([
    { part: { subPath: "sub/of/" }, path: "volumes/v/sub/of" },
    { part: { subPath: "$(POD)" }, path: "volumes/v/$(POD)" },
    { part: { subPathExpr: "logs/$(POD)" }, path: "volumes/v/logs/p" },
    { part: { subPathExpr: "$$(NONE)" }, path: "volumes/v/$(NONE)" },
  ])("is a folder that a program finds there: $part", async ({ part, path }) => {
    const run = await withPart(part);
    expect(run).toMatchObject({ args: ["first", `DIR/${path}/x`] });
    const made = await stat(join(run.folder, path));
    expect([made.isDirectory(), (made.mode & 0o777).toString(8)]).toEqual([true, "700"]);
  });

  it.each([
    { part: { subPathExpr: "$(NONE)" }, code: "E_KUBE_NOT_FOUND", message: 'missing value for "NONE"' },
    {
      part: { subPathExpr: "a/$(UP)/$(UP)" },
      code: "E_UNSAFE_PATH",
      message: 'the subPath "a/../.." leaves its volume',
    },
  ])("that is none keeps the program from starting: $message", async ({ part, code, message }) => {
    await expect(withPart(part)).rejects.toMatchObject({ code, message });
  });
});

it("one file of a volume is mounted as that file", async () => {
  const volume = await mkdtemp(join(tmpdir(), "rollcall-volume-"));
  onTestFinished(() => rm(volume, { recursive: true, force: true }));
  await writeFile(join(volume, "key"), "content");
  const volumeMounts = [{ name: "v", mountPath: "/etc/key", subPath: "key" }];
  const [container] = readPodSpec({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p" },
    spec: { containers: [{ volumeMounts }] },
  }).containers;
  if (container === undefined) throw new Error("the Pod has no container");
  const { mounts } = await mapToHost(container, { volumeDir: () => volume, messageFile: "" }, {});
  expect(await readFile(new Map(mounts).get("/etc/key") ?? "", "utf8")).toBe("content");
});
