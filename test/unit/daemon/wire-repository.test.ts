import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { followRepository } from "../../../src/daemon/wire-repository.ts";
import type { KubeApi } from "../../../src/kube/kube.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";
import { until } from "../../support/until.ts";
import { ScriptedHub } from "../kube/scripted-hub.ts";

const target = { namespace: "rollcall-system", name: "fleet" };

function repository(resourceVersion: string): Repository {
  const metadata = { ...target, uid: "a", resourceVersion };
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata,
    spec: { url: "https://git.example.com" },
  };
}

/** A Repository that is followed, and whose own write is recorded as version 60. */
async function followWritten() {
  const hub = new ScriptedHub();
  const stop = new AbortController();
  hub.answer("50", repository("50"));
  const source = await followRepository(hub.api as KubeApi, target, stop.signal);
  source.record(repository("60"));
  await until(
    () => Promise.resolve(hub.watches.length),
    (count) => count === 1,
  );
  const version = () => Promise.resolve(source.read()?.metadata.resourceVersion);
  const close = async () => {
    stop.abort();
    await source.stop();
  };
  return { hub, source, version, close };
}

describe("followRepository", () => {
  it.each(["50", "20"])("continues with version %s of a hub that was restored from an older copy", async (restored) => {
    const { hub, version, close } = await followWritten();
    expect(await version()).toBe("60");
    hub.answer(restored, repository(restored));
    hub.watch.fail(new AppError("E_KUBE_UNREACHABLE", "reset"));
    await until(version, (seen) => seen === restored);
    await close();
  });

  it("keeps an own write that an older event, or a list that was asked for before it, does not show", async () => {
    const { hub, source, version, close } = await followWritten();
    hub.watch.tell("modified", repository("55"));
    hub.watch.tell("modified", repository("61"));
    await until(version, (seen) => seen === "61");
    const seen: unknown[] = [];
    source.onNews(() => seen.push(source.read()?.metadata.resourceVersion));
    hub.answerList = () => {
      source.record(repository("70"));
      return Promise.resolve({ items: [repository("61")], resourceVersion: "61" });
    };
    hub.watch.fail(new AppError("E_KUBE_UNREACHABLE", "reset"));
    await until(
      () => Promise.resolve(hub.watches.length),
      (count) => count === 2,
    );
    expect(await version()).toBe("70");
    expect(seen).toEqual(["70"]);
    await close();
  });
});
