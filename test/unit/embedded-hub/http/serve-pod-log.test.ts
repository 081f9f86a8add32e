import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { abortReason } from "../../../../src/core/unless-aborted.ts";
import { ApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { Exchange, HttpScope } from "../../../../src/embedded-hub/http/exchange.ts";
import { servePodLog } from "../../../../src/embedded-hub/http/serve-pod-log.ts";
import { builtInResources } from "../../../../src/embedded-hub/resources/built-in-resources.ts";
import { createManualClock } from "../../../support/manual-clock.ts";
import { whenAborted } from "../../../../src/system/when-aborted.ts";

it("a log that is followed is read no longer than its client is there", async () => {
  const { exchange, served, reading, isOver } = follow(["a line\n"]);
  for await (const line of exchange.response) {
    expect(String(line)).toBe("a line\n");
    break; // which closes the response, as a client that disconnects does
  }
  await served;
  expect(reading()?.aborted).toBe(true);
  await expect.poll(isOver).toBe(true);
});

it("A186 a log that is followed ends before it sends anything to a client that has no right to it any more", async () => {
  let nowMs = 0;
  let isAllowed = true;
  const parts = ["1\n", "2\n", "3\n", "4\n"];
  const readPart = (part: string): void => {
    nowMs += 11_000;
    if (part === "3\n") isAllowed = false;
  };
  const clock = { ...createManualClock(), monotonicMs: () => nowMs };
  const confirmAdmission = (): void => {
    if (!isAllowed) throw new ApiFailure(403, "Forbidden", "taken away");
  };
  const { exchange, served } = follow(parts, { clock, readPart, confirmAdmission });
  expect(Buffer.concat(await exchange.response.toArray()).toString()).toBe("1\n2\n");
  await served;
});

interface Followed {
  readonly clock?: HttpScope["clock"];
  readonly readPart?: (part: string) => void;
  readonly confirmAdmission?: () => void;
}

/** A client follows a log that has these parts; without `confirmAdmission` it has no end. */
function follow(parts: readonly string[], options: Followed = {}) {
  const { clock = createManualClock(), readPart = () => undefined, confirmAdmission } = options;
  const definition = builtInResources().find(({ plural }) => plural === "pods");
  if (definition === undefined) throw new Error("Pods are not served");
  let reading: AbortSignal | undefined;
  let isOver = false;
  async function* read(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for (const part of parts) {
      readPart(part);
      yield Buffer.from(part);
    }
    if (confirmAdmission !== undefined) return;
    await whenAborted(signal);
    isOver = true;
    throw abortReason(signal);
  }
  const response = Object.assign(new PassThrough(), { writeHead: () => undefined });
  const scope = {
    clock,
    operations: { get: () => ({ apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, spec: { nodeName: "n" } }) },
    readPodLog: async ({ signal }: { readonly signal: AbortSignal }) => read((reading = signal)),
  } as unknown as HttpScope;
  const exchange = { response, query: new URLSearchParams("follow=true"), confirmAdmission } as unknown as Exchange;
  const served = servePodLog(scope, exchange, { definition, namespace: "shop", name: "a" });
  return { exchange: { response }, served, reading: () => reading, isOver: () => isOver };
}
