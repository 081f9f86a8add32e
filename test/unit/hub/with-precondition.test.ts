import { describe, expect, it } from "vitest";
import { withPrecondition } from "../../../src/hub/with-precondition.ts";
import { resourceTypes } from "../../../src/model/resource-types.ts";
import { coreObject } from "./objects.ts";

const ref = { type: resourceTypes.secret, namespace: "fleet", name: "a" };
const named = { namespace: "fleet", name: "a" };

describe("withPrecondition", () => {
  it.each([
    { reason: "the very object that is known", known: coreObject("Secret", "a"), added: { uid: "uid-a" } },
    { reason: "nothing but a new one where none is known", added: { resourceVersion: "1" } },
    { reason: "whatever exists where not all are watched", isWhole: false, added: {} },
    { reason: "the version that is wanted", wanted: { resourceVersion: "7" }, added: { resourceVersion: "7" } },
  ])("A217 writes $reason", ({ known, isWhole = true, wanted = {}, added }) => {
    const object = { apiVersion: "v1", kind: "Secret", metadata: { ...named, ...wanted }, type: "Opaque" };
    const body = withPrecondition({ get: () => known, listsAll: () => isWhole }, ref, object);
    expect(body).toEqual({ ...object, metadata: { ...named, ...added } });
  });
});
