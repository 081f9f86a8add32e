import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../../src/core/json.ts";
import { textAt } from "../../../src/core/read-json.ts";
import { readPodSpec } from "../../../src/embedded-node/pod-spec.ts";
import type { MountFailure } from "../../../src/embedded-node/pod-volumes.ts";
import { createPodVolumes } from "../../../src/embedded-node/pod-volumes.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { until } from "../../support/until.ts";

/** The mounted volumes of a Pod. Each of its tokens is worth renewing after `renewAfterMs`. */
async function mounted(volume: JsonObject, renewAfterMs = 600_000) {
  const folder = await mkdtemp(join(tmpdir(), "rollcall-volumes-"));
  const clock = createManualClock();
  const startedAtMs = clock.nowMs();
  const config: Record<string, Buffer> = { a: Buffer.from("old") };
  const reads = { isFailing: false, tokens: 0 };
  let renewAtMs: number | undefined;
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "ns", labels: { app: "a" } },
    spec: { volumes: [{ name: "v", ...volume }] },
  };
  const token = async () => {
    if (reads.isFailing) throw new Error(`asked at ${clock.nowMs() - startedAtMs}`);
    renewAtMs = clock.nowMs() + renewAfterMs;
    return Buffer.from(`token ${(reads.tokens += 1)}`);
  };
  const volumes = createPodVolumes({
    spec: readPodSpec(pod),
    folder,
    context: () => ({
      pod,
      node: { nodeName: "n", address: "127.0.0.1", allocatable: {} },
      read: async () => {
        if (reads.isFailing) throw new Error("the API server is away");
        return config;
      },
      token,
    }),
    tokens: {
      get: token,
      get renewAtMs() {
        return renewAtMs;
      },
    },
    clock,
  });
  const stop = new AbortController();
  const failures: MountFailure[] = [];
  expect(await volumes.mount()).toEqual([]);
  const refreshing = volumes.keepFresh(stop.signal, (failure) => failures.push(failure));
  onTestFinished(async () => {
    stop.abort();
    await refreshing;
    await rm(folder, { recursive: true, force: true });
  });
  const fileOf = (name: string) => join(volumes.folderOf(textAt(volume, "name") ?? "v"), name);
  return {
    config,
    reads,
    clock,
    failures,
    fileOf,
    refreshing,
    /** Lets a minute pass after another, until a file of the volume has this content. */
    untilContent: (name: string, content: string) =>
      until(
        async () => {
          await clock.advance(60_000);
          return readFile(fileOf(name), "utf8");
        },
        (found) => found === content,
      ),
  };
}

it("what a ConfigMap has by now is in the volume of a running Pod", async () => {
  const { config, fileOf, untilContent } = await mounted({ configMap: { name: "c" } });
  expect(await readFile(fileOf("a"), "utf8")).toBe("old");
  config["a"] = Buffer.from("new");
  await untilContent("a", "new");
});

it("what a ConfigMap has by now is beside a token", async () => {
  const sources = [{ configMap: { name: "c" } }, { serviceAccountToken: { path: "token" } }];
  const { config, clock, fileOf } = await mounted({ projected: { sources } });
  config["a"] = Buffer.from("new");
  await clock.advance(60_000);
  await expect.poll(() => readFile(fileOf("a"), "utf8")).toBe("new");
});

it("the access to the API server that each Pod has is only refreshed with its token", async () => {
  const sources = [{ configMap: { name: "c" } }, { serviceAccountToken: { path: "token" } }];
  const { config, clock, fileOf, untilContent } = await mounted({ name: "kube-api-access-x", projected: { sources } });
  config["a"] = Buffer.from("new");
  await clock.advance(599_000);
  expect(await readFile(fileOf("a"), "utf8")).toBe("old");
  await untilContent("a", "new");
});

it("a refresh that fails is reported, leaves the files as they are, and is tried again", async () => {
  const { config, reads, clock, failures, fileOf, untilContent } = await mounted({ secret: { secretName: "s" } });
  reads.isFailing = true;
  await clock.advance(60_000);
  expect(failures).toEqual([
    { volume: "v", message: 'MountVolume.SetUp failed for volume "v" : the API server is away' },
  ]);
  expect(await readFile(fileOf("a"), "utf8")).toBe("old");
  reads.isFailing = false;
  config["a"] = Buffer.from("new");
  await untilContent("a", "new");
});

it("a token is written anew when it is worth renewing, and not before", async () => {
  const source = { serviceAccountToken: { path: "token" } };
  const { clock, reads, fileOf, untilContent } = await mounted({ projected: { sources: [source] } });
  expect(await readFile(fileOf("token"), "utf8")).toBe("token 1");
  await clock.advance(599_000);
  expect(reads.tokens).toBe(1);
  await untilContent("token", "token 2");
});

it("a token that is worth renewing from its first moment on is asked for once a second", async () => {
  const source = { serviceAccountToken: { path: "token" } };
  const { clock, reads, untilContent } = await mounted({ projected: { sources: [source] } }, -1000);
  await clock.advance(999);
  expect(reads.tokens).toBe(1);
  await clock.advance(1);
  expect(reads.tokens).toBe(2);
  await untilContent("token", "token 3");
});

it("a token that cannot be renewed is asked for less and less often", async () => {
  const source = { serviceAccountToken: { path: "token" } };
  const { clock, reads, failures } = await mounted({ projected: { sources: [source] } });
  reads.isFailing = true;
  for (let second = 0; second < 900; second += 1) await clock.advance(1000);
  const seconds = failures.map(({ message }) => Number(/asked at (\d+)/u.exec(message)?.[1]) / 1000);
  expect(seconds).toEqual([600, 602, 606, 614, 630, 662, 722, 782, 842]);
});

it("what a Pod has written into an empty volume stays, and such a volume is never refreshed", async () => {
  const { clock, fileOf, refreshing } = await mounted({ emptyDir: {} });
  await writeFile(fileOf("own"), "kept");
  await refreshing;
  expect(clock.sleepers).toBe(0);
  expect(await readFile(fileOf("own"), "utf8")).toBe("kept");
});
