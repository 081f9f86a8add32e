import { execFile } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { isJsonObject } from "../../src/core/json.ts";
import type { Json } from "../../src/core/json.ts";
import { crds } from "../../src/model/generated/crds.ts";
import { specDefaultsOf } from "../../src/planning/spec-defaults.ts";
import { giveInput } from "../support/give-input.ts";
import { sharedControlPlane } from "../support/shared-control-plane.ts";
import { clusterCases, groupCases, hubCases, tokenCases } from "../unit/schemas/cases.ts";
import { readSchemas } from "../unit/schemas/source-schemas.ts";

const namespace = "schemas";

interface Answer {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

function kubectl(args: readonly string[], input?: unknown): Promise<Answer> {
  const program = join(process.env["KUBEBUILDER_ASSETS"] ?? "", "kubectl");
  const { kubeconfigPath } = sharedControlPlane();
  return new Promise((resolve) => {
    const child = execFile(program, ["--kubeconfig", kubeconfigPath, ...args], (error, output, errors) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? 1), output, errors });
    });
    giveInput(child.stdin, input === undefined ? "" : JSON.stringify(input));
  });
}

/** Applies on the server, also what a test before this one has applied, and answers what it made of the object, or its refusal. */
async function apply(object: object, ...flags: string[]): Promise<Answer> {
  return kubectl(
    ["apply", "--server-side", "--force-conflicts", "--namespace", namespace, "-o", "json", "-f", "-", ...flags],
    object,
  );
}

async function applied(object: object): Promise<Readonly<Record<string, unknown>>> {
  const { exitCode, output, errors } = await apply(object, "--dry-run=server");
  expect(errors).toBe("");
  expect(exitCode).toBe(0);
  return JSON.parse(output) as Record<string, unknown>;
}

const kindsOfHub = crds.map((crd) => (crd["spec"] as { names: { kind: string } }).names.kind);
const examples = [...readSchemas().values()]
  .filter(({ title }) => typeof title === "string" && kindsOfHub.includes(title))
  .flatMap(({ title, examples: list }) => (Array.isArray(list) ? (list as readonly Json[]) : []).map((e) => [title, e]))
  .flatMap(([title, example], index) =>
    isJsonObject(example) ? [[`${JSON.stringify(title)} ${index}`, example] as const] : [],
  );

beforeAll(async () => {
  for (const crd of crds) expect((await apply(crd)).errors).toBe("");
  const names = crds.map((crd) => `customresourcedefinition/${crd.metadata.name}`);
  const waited = await kubectl(["wait", "--for=condition=Established", "--timeout=30s", ...names]);
  expect(waited.errors).toBe("");
  await kubectl(["create", "namespace", namespace]);
});

describe("CRDs on a real API server", () => {
  it.each(crds.map((crd) => [crd.metadata.name]))("%s is structural and has its names", async (name) => {
    const { output } = await kubectl(["get", "customresourcedefinition", name, "-o", "json"]);
    const { status } = JSON.parse(output) as { status: { conditions: { type: string; status: string }[] } };
    const conditions = Object.fromEntries(status.conditions.map(({ type, status }) => [type, status]));
    expect(conditions).toEqual({ NamesAccepted: "True", Established: "True" });
  });

  it.each(examples)("accept the example of %s", async (_name, example) => {
    const inNamespace = { ...example, metadata: { ...(example["metadata"] as object), namespace } };
    const object = await applied(inNamespace);
    expect(object).toMatchObject({ kind: example["kind"], metadata: { namespace } });
  });

  it("fill in the defaults that the program counts on", async () => {
    const [cluster, token, repository] = await Promise.all(
      [
        { kind: "Cluster" },
        { kind: "ClusterRegistrationToken" },
        { kind: "Repository", spec: { url: "https://git.example.com/a.git" } },
      ].map((part) =>
        applied({ apiVersion: "rollcall.dev/v1alpha1", metadata: { name: "defaults", namespace }, ...part }),
      ),
    );
    const defaultsOf = (kind: string) => specDefaultsOf({ apiVersion: "rollcall.dev/v1alpha1", kind });
    expect(cluster?.["spec"]).toEqual(defaultsOf("Cluster"));
    expect(token?.["spec"]).toEqual(defaultsOf("ClusterRegistrationToken"));
    expect(repository?.["spec"]).toEqual({ url: "https://git.example.com/a.git", ...defaultsOf("Repository") });
  });

  const cases = [...clusterCases, ...tokenCases, ...groupCases, ...hubCases].map(
    (item) => [`${item.kind} with ${item.reason}`, item] as const,
  );

  it.each(cases.filter(([, { refusal }]) => refusal === undefined))("accept %s", async (_name, { object }) => {
    await applied(object);
  });

  it.each(cases.filter(([, { refusal }]) => refusal !== undefined))("refuse %s", async (_name, item) => {
    const { exitCode, errors } = await apply(item.object, "--dry-run=server");
    expect(exitCode).toBe(1);
    expect(errors).toMatch(item.refusal ?? /^$/u);
    expect(errors).not.toContain("evaluating rule");
  });

  it("keep a registration as its agent made it", async () => {
    const [, registration] = examples.find(([, { kind }]) => kind === "ClusterRegistration") ?? [];
    if (registration === undefined) throw new Error("ClusterRegistration has no example");
    const made = { ...registration, metadata: { name: "unchanged", namespace } };
    expect((await apply(made)).errors).toBe("");
    expect((await apply(made)).errors).toBe("");
    const changed = { ...made, spec: { ...(registration["spec"] as object), clientID: "somebody-else" } };
    expect((await apply(changed)).errors).toContain("a registration cannot be changed");
  });

  it("show the status in columns", async () => {
    const cluster = { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { name: "story", namespace } };
    expect((await apply(cluster)).errors).toBe("");
    const time = "2030-01-02T03:04:05Z";
    const ready = { type: "Ready", status: "True", reason: "AllGood", message: "", lastTransitionTime: time };
    const status = { conditions: [ready], kubernetesVersion: "v1.34.4", agent: { version: "0.1.0" } };
    expect((await apply({ ...cluster, status }, "--subresource=status", "--field-manager=hub")).errors).toBe("");
    const { output } = await kubectl(["get", "rcl", "story", "--namespace", namespace]);
    const [heads = "", values = ""] = output.trim().split("\n");
    expect(heads.split(/\s+/u)).toEqual(["NAME", "READY", "HEALTHY", "VERSION", "AGENT", "PROTOCOL", "REASON", "AGE"]);
    expect(values).toMatch(/^story\s+True\s+v1\.34\.4\s+0\.1\.0\s+rollcall\s+AllGood\s+\d+s$/u);
  });
});
