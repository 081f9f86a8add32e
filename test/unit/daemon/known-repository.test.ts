import { describe, expect, it } from "vitest";
import { KnownRepository } from "../../../src/daemon/known-repository.ts";
import type { Repository } from "../../../src/model/generated/repository.ts";

function at(resourceVersion: string, metadata: object = {}): Repository {
  return {
    apiVersion: "rollcall.dev/v1alpha1",
    kind: "Repository",
    metadata: { namespace: "rollcall-system", name: "fleet", resourceVersion, generation: 1, ...metadata },
    spec: { url: "https://git.example.com" },
  };
}

function open(first = "5") {
  const known = new KnownRepository();
  known.see(at(first));
  const version = () => known.read()?.metadata.resourceVersion;
  return { known, version };
}

describe("KnownRepository", () => {
  it("takes what the watch brings, and reports whether another writer changed something", () => {
    const { known, version } = open();
    const changes = [
      known.see(at("6")),
      known.see(at("7", { generation: 2 })),
      known.see(at("8", { generation: 2, annotations: { a: "b" } })),
      known.see(undefined),
      known.see(undefined),
      known.see(at("9")),
    ];
    expect([changes, version()]).toEqual([[false, true, true, true, false, true], "9"]);
  });

  it("compares versions as numbers, and leaves an event out that is older than an own write", () => {
    const { known, version } = open("9");
    known.open().record(at("10", { generation: 2 }));
    expect([known.see(at("9")), version()]).toEqual([false, "10"]);
    expect([known.see(at("11", { generation: 3 })), version()]).toEqual([true, "11"]);
  });

  it("keeps what the watch has brought when an older own write is answered after it", () => {
    const { known, version } = open("9");
    known.see(at("11", { generation: 2 }));
    expect(known.open().record(at("10")).metadata.resourceVersion).toBe("11");
    expect(version()).toBe("11");
  });

  it("stays deleted when an own write is answered after the watch has brought the deletion", () => {
    const known = new KnownRepository();
    const source = known.open();
    known.see(at("5", { uid: "one" }));
    known.see(undefined);
    source.record(at("6", { uid: "one" }));
    expect(source.read()).toBeUndefined();
    source.record(at("8", { uid: "two" }));
    expect(source.read()?.metadata.uid).toBe("two");
  });

  it("takes an older object of a list that was asked for after its last write, and of no other", () => {
    const { known, version } = open("50");
    const early = known.beginListing();
    known.open().record(at("60", { generation: 2 }));
    const late = known.beginListing();
    expect([early(at("20")), version()]).toEqual([false, "60"]);
    expect([late(undefined), late(at("70")), version()]).toEqual([false, false, "60"]);
    expect([late(at("20")), version()]).toEqual([true, "20"]);
  });

  it("calls the listeners of each that works with it, until that one stops", async () => {
    const { known } = open();
    const heard: string[] = [];
    const [first, second] = [known.open(), known.open()];
    for (const [name, source] of [["first", first] as const, ["second", second] as const]) {
      source.onChange(() => heard.push(`${name} change`));
      source.onNews(() => heard.push(`${name} news`));
    }
    known.see(at("6", { generation: 2 }));
    await first.stop();
    expect(second.record(at("7", { generation: 2 }))).toMatchObject({ metadata: { resourceVersion: "7" } });
    expect(heard).toEqual(["first news", "second news", "first change", "second change", "second news"]);
    expect(first.read()).toBe(second.read());
  });
});
