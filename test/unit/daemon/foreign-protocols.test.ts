import { describe, expect, it } from "vitest";
import type { ServedProtocol } from "../../../src/daemon/foreign-protocols.ts";
import {
  foreignProtocols,
  installBesideExternal,
  installProtocols,
  protocolsWith,
  servedProtocols,
} from "../../../src/daemon/foreign-protocols.ts";
import { rollcallProtocol } from "../../../src/join/rollcall/hub/rollcall-protocol.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { KubeObject, ObjectRef } from "../../../src/model/kubernetes.ts";
import { readSettings } from "../../../src/settings/read-settings.ts";

describe("protocolsWith", () => {
  it("has the own protocol alone where no other is served", () => {
    expect([...protocolsWith([])]).toEqual([["rollcall", rollcallProtocol]]);
  });

  const { fleet, kubefleet, clusternet } = Object.fromEntries(foreignProtocols);
  it.each([
    [{ name: "fleet", controllers: "Rollcall" }, fleet?.protocol],
    [{ name: "fleet", controllers: "External" }, fleet?.external],
    [{ name: "kubefleet", controllers: "External" }, kubefleet?.external],
    [{ name: "clusternet", controllers: "Rollcall" }, clusternet?.protocol],
    [{ name: "clusternet", controllers: "Rollcall", bootstrapTokens: true }, clusternet?.bootstrapTokens],
    [{ name: "clusternet", controllers: "External", bootstrapTokens: true }, clusternet?.external],
  ] as const)("serves %j besides", (served, protocol) => {
    expect(protocol).toBeDefined();
    const protocols = protocolsWith([served]);
    expect([...protocols.keys()]).toEqual(["rollcall", served.name]);
    expect(protocols.get(served.name)).toBe(protocol);
  });

  it.each([
    { name: "rollcall", controllers: "External" },
    { name: "kubefleet", controllers: "Rollcall", bootstrapTokens: true },
  ] as const)("refuses %j, and names the option to leave out", (served) => {
    expect(() => protocolsWith([served])).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", remedy: `Leave out --${served.name}-controllers.` }),
    );
  });
});

describe("servedProtocols", () => {
  const served = (given: Readonly<Record<string, string | boolean>>) =>
    servedProtocols(readSettings("run", { given, environment: {} }));
  const one = (name: string, more: object = {}) => ({ name, controllers: "Rollcall", bootstrapTokens: false, ...more });

  it.each([
    [{}, []],
    [{ "serve-fleet": true }, [one("fleet")]],
    [{ "serve-fleet": true, "fleet-controllers": "External" }, [one("fleet", { controllers: "External" })]],
    [{ "fleet-controllers": "External" }, []],
    [
      { "serve-kubefleet": true, "serve-clusternet": true, "clusternet-bootstrap-tokens": true },
      [one("kubefleet"), one("clusternet", { bootstrapTokens: true })],
    ],
  ])("of the options %j", (given, expected) => {
    expect(served(given)).toEqual(expected);
  });

  it("are those that a caller chooses, with the same options", () => {
    const settings = readSettings("run", { given: { "serve-fleet": true }, environment: {} });
    expect(servedProtocols(settings, (name) => name === "kubefleet")).toEqual([one("kubefleet")]);
  });
});

describe("what protocols need on a hub", () => {
  /** What is written for these on a hub that has nothing yet, and serves a definition as soon as it is there. */
  async function written(install: typeof installProtocols, served: readonly ServedProtocol[]): Promise<string[]> {
    const objects = new Map<string, KubeObject>();
    const status = { conditions: [{ type: "Established", status: "True" }] };
    const resources = [{ name: "validatingadmissionpolicies" }];
    const hubApi = {
      getRaw: async () => ({ status: 200, text: JSON.stringify({ resources }) }),
      get: async ({ type, name }: ObjectRef) => objects.get(`${type.kind} ${name}`),
      apply: async (object: KubeObject) => {
        objects.set(`${object.kind} ${object.metadata.name}`, { ...object, status });
        return object;
      },
    } as unknown as KubeApi;
    await install(hubApi, served, new AbortController().signal);
    return [...objects.keys()];
  }

  it.each(["fleet", "kubefleet", "clusternet"] as const)("is made where Rollcall serves %s alone", async (name) => {
    const own = await written(installProtocols, [{ name, controllers: "Rollcall" }]);
    expect(own.filter((object) => object.startsWith("CustomResourceDefinition "))).not.toEqual([]);
    expect(await written(installProtocols, [{ name, controllers: "External" }])).toEqual([]);
    expect(await written(installBesideExternal, [{ name, controllers: "Rollcall" }])).toEqual([]);
  });

  it("holds agents apart beside Fleet's controllers, and is nothing beside those that do it themselves", async () => {
    expect(await written(installBesideExternal, [{ name: "fleet", controllers: "External" }])).not.toEqual([]);
    expect(await written(installBesideExternal, [{ name: "kubefleet", controllers: "External" }])).toEqual([]);
  });
});
