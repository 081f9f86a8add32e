import { afterEach, beforeEach } from "vitest";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { createKubeApi } from "../../../src/kube/kube-api.ts";
import type { KubeApiOptions } from "../../../src/kube/kube-api.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { createInstantClock, fixedRandom } from "../../support/manual-clock.ts";
import { answerJson, answerStatus, startScriptedServer } from "./scripted-server.ts";
import type { Script, ScriptedServer } from "./scripted-server.ts";

export const settings = { type: resourceTypes.configMap, namespace: "edge", name: "settings" };
export const settingsPath = "/api/v1/namespaces/edge/configmaps/settings";

export interface ScriptedApi {
  readonly server: ScriptedServer;
  readonly clock: ReturnType<typeof createInstantClock>;
  open(options?: Partial<KubeApiOptions>): KubeApi;
  /** Answers one request after the other by `scripts`; the last one is repeated. */
  play(...scripts: Script[]): void;
}

/** For each test of the suite: a scripted server, which first answers everything with a ConfigMap, and its API. */
export function useScriptedApi(): ScriptedApi {
  const apis: KubeApi[] = [];
  let server: ScriptedServer | undefined;
  let clock = createInstantClock();
  const started = () => {
    if (server === undefined) throw new Error("only within a test");
    return server;
  };
  beforeEach(async () => {
    clock = createInstantClock();
    server = await startScriptedServer(ok);
  });
  afterEach(async () => {
    await Promise.all(apis.splice(0).map((api) => api.close()));
    await server?.stop();
  });
  return {
    get server() {
      return started();
    },
    get clock() {
      return clock;
    },
    open(options = {}) {
      const transport = createUndiciTransport(started().connection());
      const api = createKubeApi({ transport, clock, random: fixedRandom(0), ...options });
      apis.push(api);
      return api;
    },
    play(...scripts) {
      let turn = 0;
      started().script = (request, response) => scripts[Math.min(turn++, scripts.length - 1)]?.(request, response);
    },
  };
}

export function configMapNamed(name: string, fields: Record<string, unknown> = {}) {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "edge", name, resourceVersion: "7" },
    ...fields,
  };
}

export function configMapList(names: readonly string[], metadata: Record<string, string>) {
  const items = names.map((name) => ({ metadata: { namespace: "edge", name } }));
  return { kind: "ConfigMapList", apiVersion: "v1", metadata, items };
}

/** Answers with a ConfigMap. */
export const ok: Script = (_, response) => answerJson(response, 200, configMapNamed("settings"));

/** Answers with a Status. */
export function status(code: number, fields: Record<string, unknown> = {}): Script {
  return (_, response) => answerStatus(response, code, fields);
}

/** Answers with one page of a list. */
export function page(names: readonly string[], metadata: Record<string, string>): Script {
  return (_, response) => answerJson(response, 200, configMapList(names, metadata));
}

/** One line of a watch. */
export function eventLine(type: string, object: unknown): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** Answers with these pieces, then ends. */
export function stream(...pieces: string[]): Script {
  return (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    for (const piece of pieces) response.write(piece);
    response.end();
  };
}

/** Closes the connection instead of answering. */
export const reset: Script = (_, response) => response.socket?.destroy();
