import { describe, it } from "vitest";
import type { KubeApi } from "../../../src/kube/kube.ts";
import { createHttpsTransport } from "../../../src/kube/https-transport.ts";
import { createUndiciTransport } from "../../../src/kube/undici-transport.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { until } from "../../support/until.ts";
import { configMapNamed, reset, settings, status, useScriptedApi } from "./scripted-api.ts";
import type { Script } from "./scripted-server.ts";

const event = `${JSON.stringify({ type: "ADDED", object: configMapNamed("a") })}\n`;
const inEvents: Script = (_, response) => void response.writeHead(200).write(event);
const oneEvent: Script = (_, response) => void response.writeHead(200).end(event);

async function watch(api: KubeApi, signal: AbortSignal, isLeft = false): Promise<void> {
  for await (const { kind } of api.watch(resourceTypes.configMap, { resourceVersion: "1", signal }))
    if (kind === "added" && isLeft) return;
}

const stop = new AbortController();

/** Calls by how they end. */
const calls: readonly {
  readonly name: string;
  readonly script: Script;
  readonly call: (api: KubeApi) => Promise<unknown>;
}[] = [
  { name: "an answer", script: oneEvent, call: (api) => api.getRaw("/version") },
  { name: "a refusal", script: status(403), call: (api) => api.get(settings) },
  { name: "a connection that is reset", script: reset, call: (api) => api.get(settings) },
  { name: "a watch that its server ends", script: oneEvent, call: (api) => watch(api, stop.signal) },
  { name: "a watch that its server resets", script: reset, call: (api) => watch(api, stop.signal) },
  { name: "a watch that its reader leaves", script: inEvents, call: (api) => watch(api, stop.signal, true) },
  {
    name: "a watch that is aborted",
    script: inEvents,
    call: async (api) => {
      const ending = new AbortController();
      for await (const { kind } of api.watch(settings.type, { resourceVersion: "1", signal: ending.signal }))
        if (kind === "added") ending.abort();
    },
  },
];

/** Timers that keep a process alive. */
function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

describe.each(Object.entries({ createUndiciTransport, createHttpsTransport }))("a command by %s", (_, open) => {
  const scripted = useScriptedApi();

  it.each(calls)("is not kept from its end by a timer after $name", async ({ script, call }) => {
    const before = timers();
    scripted.server.script = script;
    const api = scripted.open({ transport: open(scripted.server.connection()) });
    await call(api).catch(() => undefined);
    await api.close();
    // Not expect.poll: it has a timer of its own while it looks.
    await until(
      () => Promise.resolve(timers()),
      (count) => count <= before,
    );
  });
});
