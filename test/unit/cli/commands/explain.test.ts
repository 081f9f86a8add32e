import { describe, expect, it } from "vitest";
import { runExplain } from "../../../../src/cli/commands/explain.ts";
import { describeField, foreignKinds } from "../../../../src/manifests/describe-field.ts";
import type { FieldDescription } from "../../../../src/manifests/describe-field.ts";
import { allKindNames } from "../../../../src/model/kind-names.ts";
import { fileSchemas } from "../../../../src/model/generated/schemas.ts";
import { runCommand } from "../../../support/plain-context.ts";

type Options = Readonly<Record<string, string | boolean>>;

async function explain(place?: string, options: Options = {}): Promise<string> {
  const args = place === undefined ? [] : [place];
  const { code, text } = await runCommand("explain", runExplain, { args, options });
  expect(code).toBe(0);
  return text;
}

async function failureOf(place: string, options: Options = {}): Promise<string> {
  const run = async (): Promise<unknown> => runCommand("explain", runExplain, { args: [place], options });
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: "E_USAGE" });
  return error instanceof Error ? error.message : "";
}

describe("rollcall explain", () => {
  it("prints type, meaning, default, allowed values and the fields below", async () => {
    expect(await explain("Cluster.spec.heartbeat")).toBe(`KIND:     Cluster
VERSION:  rollcall.dev/v1alpha1
FIELD:    spec.heartbeat <object>

DESCRIPTION:
  How often the agent sends a heartbeat, and how many missed heartbeats make the
  cluster's health Unknown.

FIELDS:
  periodSeconds <integer>
    Seconds between two heartbeats. Unset: 60; of a Fleet agent that the hub did
    not install 900; of Clusternet's agent its own frequency. The value in force
    is in status.effective.
    Allowed: 1 to 3600

  failureThreshold <integer>
    The cluster's health becomes Unknown after this many periods without a
    heartbeat.
    Default: 3
    Allowed: 1 to 100

`);
  });

  it.each(["cluster", "Cluster", "CLUSTERS", "rcl"])("knows the kind as %s", async (name) => {
    expect(await explain(`${name}.spec.protocol`)).toMatch(
      /^KIND: {5}Cluster\n[\s\S]*Default: "rollcall"\n {2}Allowed: rollcall, /u,
    );
  });

  it.each([
    { place: "Cluster.spec.taints.key", type: "string", reason: "through a list" },
    { place: "Cluster.spec.taints[].key", type: "string", reason: "through a list, as docs/fields.md writes it" },
    { place: "Cluster.spec.taints", type: "[]object", reason: "a list" },
    { place: "Cluster.metadata.labels", type: "map[string]string", reason: "a map" },
    { place: "Cluster.metadata.labels.env", type: "string", reason: "a value of a map" },
    { place: "Cluster.status.conditions.reason", type: "string", reason: "what the hub adds" },
    { place: "repo.spec.url", type: "string", reason: "a kind of the hub alone" },
    { place: "Policies.spec", type: "object", reason: "a kind of files alone" },
  ])("finds $place: $reason", async ({ place, type }) => {
    expect(await explain(place)).toContain(` <${type}>`);
  });

  it("prints names and types of all fields below with --recursive", async () => {
    const text = await explain("tokens", { recursive: true });
    expect(text).toContain("\n  metadata <object> -required-\n    name <string> -required-\n");
    expect(text).toContain("\n    ttl <string>\n");
    expect(text).not.toContain("Allowed");
  });

  it("prints one object with --output json", async () => {
    const object: unknown = JSON.parse(await explain("Cluster.spec.heartbeat.failureThreshold", { output: "json" }));
    expect(object).toEqual({
      kind: "Cluster",
      apiVersion: "rollcall.dev/v1alpha1",
      path: "spec.heartbeat.failureThreshold",
      name: "failureThreshold",
      type: "integer",
      description: "The cluster's health becomes Unknown after this many periods without a heartbeat.",
      isRequired: false,
      default: 3,
      allowed: ["1 to 100"],
      fields: [],
    });
  });

  it("lists the kinds without an argument, those of other projects with their apiVersion", async () => {
    const text = await explain();
    for (const kind of Object.keys(fileSchemas)) expect(text).toMatch(new RegExp(`^${kind}$`, "mu"));
    for (const { kind, apiVersion } of foreignKinds) expect(text).toContain(`\n${kind} (${apiVersion})\n  `);
    const kinds = JSON.parse(await explain(undefined, { output: "json" })) as readonly { readonly kind: string }[];
    expect(kinds.map(({ kind }) => kind)).toEqual([...allKindNames, ...foreignKinds].map(({ kind }) => kind));
  });

  it.each([
    { place: "MemberCluster.spec.identity", version: undefined, shown: "cluster.kubernetes-fleet.io/v1" },
    { place: "memberclusters", version: "cluster.kubernetes-fleet.io/v1beta1" },
    { place: "ManagedCluster.spec.clusterId", version: undefined, shown: "clusters.clusternet.io/v1beta1" },
    { place: "cluster.spec.kubeConfigSecret", version: "fleet.cattle.io/v1alpha1" },
    { place: "tokens.spec.ttl", version: "fleet.cattle.io/v1alpha1" },
    { place: "Cluster.spec.protocol", version: "rollcall.dev/v1alpha1" },
  ])("explains $place of $version", async ({ place, version, shown = version }) => {
    const text = await explain(place, version === undefined ? {} : { "api-version": version });
    expect(text).toContain(`\nVERSION:  ${shown}\n`);
  });

  it.each([
    ["cluster", "fleet.cattle.io/v1", "; these have: rollcall.dev/v1alpha1, fleet.cattle.io/v1alpha1"],
    ["MemberCluster", "rollcall.dev/v1alpha1", "; these have: cluster.kubernetes-fleet.io/v1beta1, "],
  ])("refuses %s of %s, which has none", async (place, version, end) => {
    expect(await failureOf(place, { "api-version": version })).toContain(`${version} has no kind ${place}${end}`);
  });

  it.each([
    ["Clutser", "there is no kind Clutser; did you mean Cluster?"],
    ["clustergruop.spec", "there is no kind clustergruop; did you mean ClusterGroup?"],
    ["constructor", "there is no kind constructor; there are Cluster, "],
    ["MemberClsuter", "there is no kind MemberClsuter; did you mean MemberCluster?"],
    ["Cluster.spec.hartbeat", "Cluster.spec has no field hartbeat; did you mean Cluster.spec.heartbeat?"],
    ["Cluster.Spec", "Cluster has no field Spec; did you mean Cluster.spec?"],
    ["Cluster.spec.zzzzzzzzz", "Cluster.spec has no field zzzzzzzzz; it has displayName, "],
    ["Cluster.spec.paused.x", "Cluster.spec.paused has no field x; Cluster.spec.paused has no fields"],
    ["Cluster.spec.__proto__", "Cluster.spec has no field __proto__; it has "],
    ["Cluster.spec.", "a name of a field is missing after Cluster.spec."],
    ["", "there is no kind ; there are Cluster, "],
    ["\u001b[31mx", "there is no kind \\u{1b}[31mx; there are "],
  ])("refuses %j and names what is near", async (place, message) => {
    expect((await failureOf(place)).startsWith(message), await failureOf(place)).toBe(true);
  });

  it("has a meaning, a type and words for patterns for every field of every kind", () => {
    const visit = (field: FieldDescription, place: string): string[] => [
      ...(field.description === "" ? [`${place} has no description`] : []),
      // A status in a file of another project is ignored.
      ...(field.type === "any" && field.description !== "Ignored." ? [`${place} has no type`] : []),
      ...field.fields.flatMap((child) => visit(child, `${place}.${child.name}`)),
    ];
    const own = Object.keys(fileSchemas).map((kind) => ({ kind, apiVersion: "rollcall.dev/v1alpha1" }));
    const faults = [...own, ...foreignKinds].flatMap(({ kind, apiVersion }) => {
      const result = describeField(kind, [], apiVersion);
      return "found" in result ? visit(result.found, `${apiVersion} ${kind}`) : [`${kind} is not there`];
    });
    expect(faults).toEqual([]);
  });
});
