import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/core/json.ts";
import { isApiFailure } from "../../../../src/embedded-hub/failures/api-failure.ts";
import type { Operations } from "../../../../src/embedded-hub/operations/operations.ts";
import { bindPod } from "../../../../src/embedded-hub/reviews/bind-pod.ts";
import type { KubeObject } from "../../../../src/model/kubernetes.ts";
import { administrator, contextOf } from "../controllers/hub-world.ts";

const place = { namespace: "shop", name: "p" };

interface Setting {
  /** Null: there is no Pod. */
  readonly pod?: { readonly metadata?: JsonObject; readonly spec?: JsonObject } | null;
  readonly binding?: { readonly metadata?: JsonObject; readonly target?: JsonObject };
}

/** What is written, and to which subresource; or code and message of the refusal. */
async function bind({ pod = {}, binding = {} }: Setting): Promise<unknown> {
  const live = {
    ...{ apiVersion: "v1", kind: "Pod" },
    metadata: { ...place, uid: "u", resourceVersion: "7", ...pod?.metadata },
    spec: { containers: [], ...pod?.spec },
  };
  const writes: unknown[] = [];
  const operations = {
    definitionOf: () => ({ group: "", plural: "pods" }),
    get: () => (pod === null ? undefined : live),
    update: (_context: unknown, { subresource, namespace, name }: Record<string, string>, object: KubeObject) => {
      writes.push(`${namespace}/${name}/${subresource}`, object.metadata.annotations, object["spec"]);
      return Promise.resolve(object);
    },
  } as unknown as Operations;
  const { metadata = {}, target = { name: "n" } } = binding;
  const sent = { apiVersion: "v1", kind: "Binding", metadata: { ...place, ...metadata }, target };
  try {
    const answer = await bindPod(operations, contextOf(administrator), { place, binding: sent });
    expect(answer).toMatchObject({ kind: "Status", status: "Success", code: 201 });
    return writes;
  } catch (error) {
    if (!isApiFailure(error)) throw error;
    expect(writes).toEqual([]);
    return `${error.status.code} ${error.message}`;
  }
}

const spec = { containers: [], nodeName: "n" };
const place0 = "shop/p/binding";
const notCarriedOut = 'Operation cannot be fulfilled on pods/binding "p": pod p';

describe("a Binding", () => {
  it.each<readonly [string, Setting, unknown]>([
    ["gives a Pod its node", {}, [place0, undefined, spec]],
    ["may name the kind of its node", { binding: { target: { kind: "Node", name: "n" } } }, [place0, undefined, spec]],
    [
      "adds its annotations to those of the Pod",
      { pod: { metadata: { annotations: { a: "1", b: "1" } } }, binding: { metadata: { annotations: { b: "2" } } } },
      [place0, { a: "1", b: "2" }, spec],
    ],
    [
      "takes empty preconditions for none",
      { binding: { metadata: { uid: "", resourceVersion: "" } } },
      [place0, undefined, spec],
    ],
    [
      "takes preconditions that hold",
      { binding: { metadata: { uid: "u", resourceVersion: "7" } } },
      [place0, undefined, spec],
    ],
    [
      "refuses a Pod of another uid",
      { binding: { metadata: { uid: "v" } } },
      expect.stringMatching(
        /^409 .*"p": .*Key: \/registry\/pods\/shop\/p, .*UID in precondition: v, UID in object meta: u$/u,
      ),
    ],
    [
      "refuses a Pod of another version",
      { binding: { metadata: { resourceVersion: "6" } } },
      expect.stringMatching(/^409 .*ResourceVersion in precondition: 6, ResourceVersion in object meta: 7$/u),
    ],
    [
      "refuses a Pod that is being deleted",
      { pod: { metadata: { deletionTimestamp: "t" } } },
      `409 ${notCarriedOut} is being deleted, cannot be assigned to a host`,
    ],
    [
      "refuses a Pod that has a node",
      { pod: { spec: { nodeName: "m" } } },
      `409 ${notCarriedOut} is already assigned to node "m"`,
    ],
    [
      "refuses a Pod that is held",
      { pod: { spec: { schedulingGates: [{ name: "g" }] } } },
      `409 ${notCarriedOut} has non-empty .spec.schedulingGates`,
    ],
    [
      "refuses no Pod for an empty list of gates",
      { pod: { spec: { schedulingGates: [] } } },
      [place0, undefined, { ...spec, schedulingGates: [] }],
    ],
    [
      "refuses the name of another Pod",
      { binding: { metadata: { name: "q" } } },
      "400 name in URL does not match name in Binding object",
    ],
    ["refuses a Pod that is not there", { pod: null }, '404 pods "p" not found'],
    [
      "refuses what is no node",
      { binding: { target: { kind: "Pod", name: "n" } } },
      '422 Binding "p" is invalid: target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"',
    ],
    [
      "refuses a node without a name",
      { binding: { target: { kind: "Node" } } },
      '422 Binding "p" is invalid: target.name: Required value',
    ],
  ])("%s", async (_what, setting, expected) => {
    expect(await bind(setting)).toEqual(expected);
  });
});
