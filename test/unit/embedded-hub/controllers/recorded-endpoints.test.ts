import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../../src/core/json.ts";
import type { Json, JsonObject } from "../../../../src/core/json.ts";
import { objectsAt } from "../../../../src/core/read-json.ts";
import { disruptionStatus } from "../../../../src/embedded-hub/controllers/disruption-status.ts";
import { endpointSubsets } from "../../../../src/embedded-hub/controllers/endpoint-subsets.ts";
import { planMirror } from "../../../../src/embedded-hub/controllers/mirrored-slices.ts";
import { planSlices } from "../../../../src/embedded-hub/controllers/service-slices.ts";
import { matchesSelector } from "../../../../src/embedded-hub/selectors/object-selector.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";

/** What kube-controller-manager 1.34 made of these Pods, on Node `n1` in zone `z1` and on `n2`. */
interface Recording {
  readonly pods: readonly KubeObject[];
  readonly services: readonly {
    readonly name: string;
    readonly spec: JsonObject;
    readonly subsets: readonly JsonObject[];
    readonly slices: readonly Slice[];
  }[];
  /** Endpoints that a user wrote. */
  readonly mirrored: readonly {
    readonly name: string;
    readonly endpoints: Pick<KubeObject, "metadata">;
    readonly slices: readonly Slice[];
  }[];
  /** The controllers of the owned Pods ask for five. */
  readonly budgets: readonly { readonly spec: JsonObject; readonly status: JsonObject }[];
}

interface Slice {
  readonly labels: JsonObject;
  readonly annotations?: JsonObject;
  readonly addressType: string;
  readonly ports: Json;
  readonly endpoints: readonly JsonObject[] | null;
}

const file = new URL("golden/endpoints.json", import.meta.url);
const { pods, services, mirrored, budgets } = JSON.parse(readFileSync(file, "utf8")) as Recording;
const zones: Readonly<Record<string, Record<string, string>>> = { n1: { "topology.kubernetes.io/zone": "z1" }, n2: {} };

function nodeOf(name: string): KubeObject | undefined {
  const labels = zones[name];
  return labels && { apiVersion: "v1", kind: "Node", metadata: { name, labels } };
}

/** The order of subsets, slices and endpoints is that of a Go map. */
function inOrder<T>(items: readonly T[]): readonly T[] {
  const textOf = (item: T): string => canonicalJson(item);
  return [...items].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));
}

function contentOf(slice: Pick<KubeObject, "metadata"> & Readonly<Record<string, unknown>>): Slice {
  const { labels = {}, annotations } = slice.metadata;
  const { addressType, ports, endpoints } = slice as unknown as Slice;
  return { labels, ...(annotations === undefined ? {} : { annotations }), addressType, ports, endpoints };
}

function shown(slices: readonly Slice[]): readonly Slice[] {
  return inOrder(
    slices.map(({ ports, endpoints, ...rest }) => ({
      ...rest,
      ports: Array.isArray(ports) ? inOrder(ports as readonly Json[]) : ports,
      endpoints: endpoints === null ? null : inOrder(endpoints),
    })),
  );
}

function stored(slices: readonly KubeObject[]): readonly KubeObject[] {
  return slices.map((slice, index) => ({ ...slice, metadata: { ...slice.metadata, name: `slice-${index}` } }));
}

function selectedBy(selector: JsonObject | undefined): readonly KubeObject[] {
  return pods.filter(({ metadata }) => matchesSelector(selector, metadata.labels));
}

describe("the endpoints of a Service that were recorded", () => {
  it.each(services)("are the same: $name", ({ name, spec, subsets, slices }) => {
    const metadata = { name, namespace: "shop", uid: "U", labels: { team: "t" } };
    const service: KubeObject = { apiVersion: "v1", kind: "Service", metadata, spec };
    const selected = selectedBy({ matchLabels: spec["selector"] ?? {} });
    expect(inOrder(endpointSubsets(service, selected))).toEqual(inOrder(subsets));
    const { create } = planSlices({ service, pods: selected, slices: [], nodeOf });
    expect(shown(create.map(contentOf))).toEqual(shown(slices));
    const unchanged = planSlices({ service, pods: selected, slices: stored(create), nodeOf });
    expect(unchanged).toEqual({ create: [], update: [], remove: [] });
  });

  it.each(mirrored)("are mirrored in the same way: $name", ({ name, endpoints, slices }) => {
    const metadata = { ...endpoints.metadata, name, namespace: "shop", uid: "U" };
    const written: KubeObject = { apiVersion: "v1", kind: "Endpoints", ...endpoints, metadata };
    const { create } = planMirror(written, []);
    expect(shown(create.map(contentOf))).toEqual(shown(slices));
    expect(planMirror(written, stored(create))).toEqual({ create: [], update: [], remove: [], left: 0 });
  });
});

describe("the status of a PodDisruptionBudget that was recorded", () => {
  it.each(budgets)("is the same: $spec", ({ spec, status }) => {
    const metadata = { name: "b", namespace: "shop", generation: 1 };
    const budget: KubeObject = { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata, spec };
    const selector = spec["selector"] as JsonObject | undefined;
    const nowMs = Date.parse("2026-01-01T00:00:00Z");
    const now = "2026-01-01T00:00:00Z";
    const input = { budget, pods: selector === undefined ? [] : selectedBy(selector), scale: () => 5, nowMs, now };
    const { conditions, ...numbers } = disruptionStatus(input).status;
    const untimed = objectsAt({ conditions: conditions ?? [] }, "conditions").map(
      ({ lastTransitionTime: _, ...condition }) => condition,
    );
    expect({ ...numbers, conditions: untimed }).toEqual(status);
  });
});
