import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { abortReason } from "../../../../src/core/unless-aborted.ts";
import type { Exchange, HttpScope } from "../../../../src/embedded-hub/http/exchange.ts";
import { servePodLog } from "../../../../src/embedded-hub/http/serve-pod-log.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { whenAborted } from "../../../../src/system/when-aborted.ts";

it("a log that is followed is read no longer than its client is there", async () => {
  const definition = builtInResources().find(({ plural }) => plural === "pods");
  if (definition === undefined) throw new Error("Pods are not served");
  let reading: AbortSignal | undefined;
  let isOver = false;
  async function* read(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    yield Buffer.from("a line\n");
    await whenAborted(signal);
    isOver = true;
    throw abortReason(signal);
  }
  const response = Object.assign(new PassThrough(), { writeHead: () => undefined });
  const scope = {
    operations: { get: () => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { nodeName: "n" } }) },
    readPodLog: async ({ signal }: { readonly signal: AbortSignal }) => read((reading = signal)),
  } as unknown as HttpScope;
  const exchange = { response, query: new URLSearchParams("follow=true") } as unknown as Exchange;
  const served = servePodLog(scope, exchange, { definition, namespace: "shop", name: "a" });
  for await (const line of response) {
    expect(String(line)).toBe("a line\n");
    break; // which closes the response, as a client that disconnects does
  }
  await served;
  expect(reading?.aborted).toBe(true);
  await expect.poll(() => isOver).toBe(true);
});
