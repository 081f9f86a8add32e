import { describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import { silentLog } from "../../../src/core/log.ts";
import type { ApplyOptions } from "../../../src/kube/kube.ts";
import type { KubeObject } from "../../../src/model/kubernetes.ts";
import { annotationKeys } from "../../../src/model/well-known.ts";
import type { HubChange } from "../../../src/model/hub-change.ts";
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

const editedBy = (text: string, fields: Partial<HubChange> = {}) =>
  hubChange("eu-1", {
    live: { apiVersion: "v1", kind: "Cluster", metadata: { name: "eu-1", uid: "u", ...annotated(text) } },
    file: { kind: "Edit", index: 0, edits: [] },
    ...fields,
  });
const edited = editedBy("rollcall\nbob");
const created = { file: { kind: "Create", text: "" } } as const;

describe("HubWriters", () => {
  it("names the users since this process wrote, by a write that is not carried out", async () => {
    const { writers: named, asked } = writers(() => annotated("rollcall"));
    const [change] = await named.name([edited], signal);
    expect(change?.users).toEqual(["bob"]);
    expect(asked).toMatchObject([{ isDryRun: true }]);
  });

  it("names none where the API server does not write the annotation: the object may have any value", async () => {
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

  /** Users of the last of several reads of one object. */
  async function usersAfter(...looks: readonly (HubChange | undefined)[]): Promise<readonly string[] | undefined> {
    const { writers: named } = writers(() => annotated("rollcall"));
    let users: readonly string[] | undefined;
    for (const change of looks) users = (await named.name(change ? [change] : [], signal))[0]?.users;
    return users;
  }

  it("A79 does not make a user the author of what another user's waiting change declares", async () => {
    const waiting = editedBy("rollcall\nmallory");
    const written = editedBy("mallory\nrollcall");
    expect(await usersAfter(waiting, written, editedBy("mallory\nrollcall\nalice"))).toEqual(["mallory", "alice"]);
    expect(await usersAfter(undefined, written, editedBy("mallory\nrollcall\nalice"))).toEqual(["?", "alice"]);
    expect(await usersAfter(waiting, editedBy("mallory\nbob\nrollcall"))).toEqual(["mallory", "bob"]);
  });

  it("doubts after a restart, and after the hub reverted a part, where others wrote before", async () => {
    const text = "mallory\nrollcall\nalice";
    expect(await usersAfter(editedBy(text))).toEqual(["?", "alice"]);
    expect(await usersAfter(undefined, editedBy(text, { isReverted: true }))).toEqual(["?", "alice"]);
    expect(await usersAfter(undefined, editedBy(text))).toEqual(["alice"]);
    expect(await usersAfter(editedBy("rollcall\nalice"))).toEqual(["alice"]);
  });

  it("doubts where users were not recorded from the start", async () => {
    expect(await usersAfter(undefined, editedBy("alice"))).toEqual(["?", "alice"]);
    expect(await usersAfter(undefined, editedBy(""), editedBy("rollcall\nalice"))).toEqual(["?", "alice"]);
  });

  it("names all who wrote an object that no file has", async () => {
    expect(await usersAfter(undefined, editedBy("mallory\nrollcall\nalice", created))).toEqual(["mallory", "alice"]);
    expect(await usersAfter(editedBy("alice\nrollcall", created))).toEqual(["alice"]);
  });

  it("A79 does not believe what an object of the name that it asks with declares", async () => {
    const clock = createManualClock();
    // An API server that records no users merges the annotations that are sent into those that are there.
    const apply = async (object: KubeObject): Promise<KubeObject> => {
      const annotations = { [annotationKeys.writtenBy]: "mallory", ...object.metadata.annotations };
      return { ...object, metadata: { ...object.metadata, annotations } };
    };
    const named = new HubWriters({ hubApi: { apply }, clock, log: silentLog });
    expect(await named.name([editedBy("mallory\nalice")], signal)).toMatchObject([{ users: [] }]);
  });
});
