import { describe, expect, it } from "vitest";
import { renderTop } from "../../../../src/cli/render/render-top.ts";
import type { Cluster } from "../../../../src/model/generated/cluster.ts";

const nowMs = Date.parse("2026-11-22T12:00:00Z");

function cluster(name: string, status: NonNullable<Cluster["status"]> = {}): Cluster {
  return { apiVersion: "rollcall.dev/v1alpha1", kind: "Cluster", metadata: { namespace: "fleet", name }, status };
}

describe("renderTop", () => {
  it("shows age, versions, nodes and the share of resources that is taken", () => {
    const resources = {
      capacity: { cpu: "16", memory: "64Gi" },
      allocatable: { cpu: "15900m", memory: "24746000Ki" },
      available: { cpu: "3975m", memory: "12373000Ki" },
    };
    const full = cluster("eu-1", {
      kubernetesVersion: "v1.33.1",
      agent: { version: "0.1.0" },
      nodes: { total: 4, ready: 3 },
      resources,
    });
    expect(renderTop([{ cluster: full, heartbeat: "2026-11-22T11:59:18Z" }], nowMs)).toBe(
      [
        "NAMESPACE  NAME  HEARTBEAT  VERSION  AGENT  NODES  CPU   CPU%  MEMORY    MEMORY%",
        "fleet      eu-1  42s        v1.33.1  0.1.0  3/4    15.9  75%   23.6 GiB  50%",
        "",
      ].join("\n"),
    );
  });

  it("leaves empty what is not reported", () => {
    const lines = renderTop([{ cluster: cluster("new"), heartbeat: undefined }], nowMs).split("\n");
    expect(lines[1]).toBe("fleet      new   none");
  });

  it.each([
    ["512", "512 B"],
    ["1Ki", "1.0 KiB"],
    ["1048575Ki", "1024.0 MiB"],
    ["3Ti", "3.0 TiB"],
    ["nonsense", ""],
  ])("writes a memory of %s as %s", (memory, text) => {
    const made = cluster("c", { resources: { capacity: { memory } } });
    const [, line = ""] = renderTop([{ cluster: made, heartbeat: undefined }], nowMs).split("\n");
    expect(line.replace(/^.*none */u, "")).toBe(text);
  });

  it("prints no control characters that a cluster reports", () => {
    const made = cluster("c", { kubernetesVersion: "v1\u001b[31m" });
    expect(renderTop([{ cluster: made, heartbeat: undefined }], nowMs)).not.toContain("\u001b");
  });
});
