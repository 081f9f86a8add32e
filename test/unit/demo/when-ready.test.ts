import { expect, it } from "vitest";
import { whenReady } from "../../../src/demo/when-ready.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";

/** An API server whose readiness has these codes, one after the other; then it is aborted. */
async function waitAt(codes: readonly number[]): Promise<{ readonly asked: number; readonly isReady: boolean }> {
  const stop = new AbortController();
  let asked = 0;
  const getRaw: KubeApi["getRaw"] = async (path) => {
    expect(path).toBe("/readyz");
    const status = codes[asked++] ?? 500;
    if (asked > codes.length) stop.abort();
    return { status, text: "" };
  };
  const isReady = await whenReady({ server: "https://hub", getRaw } as KubeApi, stop.signal).then(
    () => true,
    () => false,
  );
  return { asked, isReady };
}

it("an API server is ready when it reports that with 200", async () => {
  expect(await waitAt([500, 503, 401, 200, 500])).toEqual({ asked: 4, isReady: true });
});

it("the wait for an API server ends with its signal", async () => {
  expect((await waitAt([500])).isReady).toBe(false);
});
