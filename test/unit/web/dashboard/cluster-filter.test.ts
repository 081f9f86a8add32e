import { describe, expect, it } from "vitest";
import type { ClusterRow } from "../../../../src/model/generated/page-api.ts";
import {
  filterFacets,
  filterClusters,
  readFilter,
  writeFilter,
} from "../../../../src/web/dashboard/browser/data/cluster-filter.ts";

function row(name: string, more: Partial<ClusterRow> = {}): ClusterRow {
  return {
    workspace: "fleet",
    name,
    protocol: "rollcall",
    state: "ready",
    ready: "True",
    healthy: "True",
    reason: "Ready",
    labels: {},
    ...more,
  };
}

const rows = [
  row("eu-2", { kubernetesVersion: "v1.9.1", labels: { env: "prod", region: "eu" }, groups: ["europe"] }),
  row("eu-10", { kubernetesVersion: "v1.34.4", labels: { env: "dev" }, displayName: "Frankfurt" }),
  row("us-1", {
    workspace: "other",
    state: "unknown",
    reason: "HeartbeatMissed",
    protocol: "fleet",
    labels: { env: "prod" },
  }),
];

describe("filterClusters", () => {
  it.each([
    { reason: "nothing is asked", query: "", names: ["eu-2", "eu-10", "us-1"] },
    { reason: "a word is in the name", query: "q=eu", names: ["eu-2", "eu-10"] },
    { reason: "a word is in the display name, in any case", query: "q=FRANK", names: ["eu-10"] },
    { reason: "a label is asked", query: "q=env%3Dprod", names: ["eu-2", "us-1"] },
    { reason: "every word must match", query: "q=env%3Dprod+eu", names: ["eu-2"] },
    { reason: "workspace and name are written together", query: "q=other%2Fus", names: ["us-1"] },
    { reason: "a state is asked", query: "state=unknown", names: ["us-1"] },
    { reason: "a reason is asked", query: "reason=HeartbeatMissed", names: ["us-1"] },
    { reason: "a protocol is asked", query: "protocol=fleet", names: ["us-1"] },
    { reason: "a version is asked", query: "version=v1.34.4", names: ["eu-10"] },
    { reason: "a group is asked", query: "group=europe", names: ["eu-2"] },
    { reason: "a workspace is asked", query: "workspace=other", names: ["us-1"] },
    { reason: "nothing matches", query: "q=nowhere", names: [] },
    { reason: "what needs attention is to come first", query: "sort=state", names: ["us-1", "eu-2", "eu-10"] },
    { reason: "versions are compared as versions", query: "sort=-version", names: ["eu-10", "eu-2", "us-1"] },
  ])("gives $names when $reason", ({ query, names }) => {
    expect(filterClusters(rows, readFilter(new URLSearchParams(query)), 0).map(({ name }) => name)).toEqual(names);
  });
});

describe("writeFilter", () => {
  it("writes what it reads, without what is as usual", () => {
    const query = "?q=a+region%3Deu+version%3C1.33&sort=-since&view=grid&by=region&colour=age";
    expect(writeFilter(readFilter(new URLSearchParams(query)))).toBe(query);
    expect(writeFilter(readFilter(new URLSearchParams("sort=name&q=")))).toBe("");
  });

  it("keeps what links of before mean", () => {
    expect(readFilter(new URLSearchParams("q=eu&state=notReady&group=a+b")).text).toBe('eu state=notReady group="a b"');
  });

  it("takes a column that does not exist for the usual one", () => {
    expect(readFilter(new URLSearchParams("sort=-password"))).toMatchObject({ sort: "name" });
  });
});

describe("filterFacets", () => {
  const facetsOf = (text: string): Record<string, string> => {
    const filter = readFilter(new URLSearchParams({ q: text }));
    const facets = filterFacets(rows, { text, shown: filterClusters(rows, filter, 0), nowMs: 0 });
    return Object.fromEntries(
      facets.map(({ field, chosen, values }) => [
        field,
        [chosen, ...values.map(({ value, count }) => `${value} ${count}`)].join("; "),
      ]),
    );
  };

  it("counts what there is", () => {
    expect(facetsOf("")).toMatchObject({
      state: "; Ready 2; Unknown 1",
      workspace: "; fleet 2; other 1",
      version: "; v1.9.1 1; v1.34.4 1",
    });
  });

  it("counts under the rest of the filter, so that another value can be chosen", () => {
    expect(facetsOf("env=prod state=ready")).toMatchObject({
      state: "Ready; Ready 1; Unknown 1",
      workspace: "; fleet 1",
    });
    expect(facetsOf("state=Leaving")).toMatchObject({ state: "Leaving; Leaving 0; Ready 2; Unknown 1" });
  });
});
