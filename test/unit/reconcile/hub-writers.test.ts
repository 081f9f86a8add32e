import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { ApplyOptions } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import { HubWriters } from "../../../src/reconcile/hub-writers.ts";
import { createManualClock } from "../../support/manual-clock.ts";
import { hubChange } from "./hub-changes.ts";

const { signal } = new AbortController();
const annotated = (text: string) => ({ annotations: { [annotationKeys.writtenBy]: text } });

function writers(answer: () => object) {
  const clock = createManualClock();
  const asked: ApplyOptions[] = [];
  const apply = async (object: KubeObject, options: ApplyOptions): Promise<KubeObject> => {
    asked.push(options);
    return { ...object, metadata: { ...object.metadata, ...answer() } };
  };
  return { clock, asked, writers: new HubWriters({ hubApi: { apply }, clock, log: silentLog }) };
}

const edited = hubChange("eu-1", {
  live: { apiVersion: "v1", kind: "Cluster", metadata: { name: "eu-1", ...annotated("alice\nrollcall\nbob") } },
  file: { kind: "Create", text: "" },
});

describe("HubWriters", () => {
  it("names the users since this process wrote, by a write that is not carried out", async () => {
    const { writers: named, asked } = writers(() => annotated("rollcall"));
    const [change] = await named.name([edited], signal);
    expect(change?.users).toEqual(["bob"]);
    expect(asked).toMatchObject([{ isDryRun: true }]);
  });

  it("names none where the API server does not write the annotation: the object may say anything", async () => {
    const { writers: named } = writers(() => ({}));
    expect(await named.name([edited], signal)).toMatchObject([{ users: [] }]);
  });

  it("asks once a minute, and not for deletions", async () => {
    const { writers: named, asked, clock } = writers(() => annotated("rollcall"));
    await named.name([hubChange("gone")], signal);
    expect(asked).toHaveLength(0);
    await named.name([edited], signal);
    await named.name([edited], signal);
    expect(asked).toHaveLength(1);
    await clock.advance(60_000);
    await named.name([edited], signal);
    expect(asked).toHaveLength(2);
  });

  it("names none while the hub does not answer, and asks again", async () => {
    let isDown = true;
    const { writers: named } = writers(() => {
      if (isDown) throw new AppError("E_KUBE_SERVER", "apply");
      return annotated("rollcall");
    });
    expect(await named.name([edited], signal)).toMatchObject([{ users: [] }]);
    isDown = false;
    expect(await named.name([edited], signal)).toMatchObject([{ users: ["bob"] }]);
  });
});
