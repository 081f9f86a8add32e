import { isAppError } from "../../src/core/errors.ts";
import type { KubeApi } from "../../src/kube/kube.ts";
import { createKubeApi } from "../../src/kube/kube-api.ts";
import type { Transport } from "../../src/kube/transport.ts";
import { resourceTypes } from "../../src/model/resource-types.ts";
import { createInstantClock, fixedRandom } from "../support/manual-clock.ts";
import { shaken } from "./random-input.ts";
import type { Input, Target } from "./target.ts";
import { inputOf, pure } from "./target.ts";

const { configMap } = resourceTypes;
const credential = "secret-of-the-member";
const others = ["Bearer secret-of-the-member", credential, null];
const settings = { type: configMap, namespace: "edge", name: "settings" };
const metadata = { name: "settings", namespace: "edge", resourceVersion: "7" };
const object = { apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "b" } };
const list = {
  apiVersion: "v1",
  kind: "ConfigMapList",
  metadata: { resourceVersion: "7", continue: "" },
  items: [object],
};
const refusal = { apiVersion: "v1", kind: "Status", status: "Failure", message: "no", reason: "Expired", code: 410 };
const table = {
  apiVersion: "meta.k8s.io/v1",
  kind: "Table",
  metadata: { resourceVersion: "7" },
  columnDefinitions: [{ name: "Name", type: "string", format: "name", description: "", priority: 0 }],
  rows: [{ cells: ["settings"], object }],
};
const token = {
  apiVersion: "authentication.k8s.io/v1",
  kind: "TokenRequest",
  metadata: {},
  status: { token: "a.b.c", expirationTimestamp: "2027-01-01T00:00:00Z" },
};

/** A server that gives this answer to every request, in pieces that cut lines and characters. */
function answering({ form, bytes }: Input): Transport {
  const [status = "200", type = ""] = form.split(" ");
  const pieceBytes = 1 + (bytes.length % 613);
  const body = async function* () {
    for (let start = 0; start < bytes.length; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes);
  };
  const headers = new Map([
    ["content-type", type === "html" ? "text/html" : "application/json"],
    ["retry-after", "1"],
  ]);
  return {
    server: "https://member.example",
    getToken: async () => credential,
    send: async () => ({ status: Number(status), header: (name) => headers.get(name), body: body() }),
    close: async () => undefined,
  };
}

/** The answer to each request that reads a member. A text of an error never repeats the credential. */
export async function askMember(
  input: Input,
  requests: readonly ((api: KubeApi) => Promise<unknown>)[],
): Promise<void> {
  const api = createKubeApi({ transport: answering(input), clock: createInstantClock(), random: fixedRandom() });
  const failures = await Promise.allSettled(requests.map((request) => request(api)));
  for (const failure of failures) {
    if (failure.status === "fulfilled") continue;
    if (String(failure.reason).includes(credential)) throw new Error("an error repeats the credential");
    const { reason } = failure as { readonly reason: unknown };
    if (!isAppError(reason) || reason.recovery === "bug") throw reason;
  }
}

/** Reads a watch of ConfigMaps to its end. */
export async function readWatch(api: KubeApi): Promise<void> {
  for await (const event of api.watch(configMap, { resourceVersion: "1" })) void event;
}

const bookmark = { ...object, data: undefined };
const eventTypes = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"];

const watch: Target = {
  seeds: [
    inputOf("200", eventTypes.map((type) => `${JSON.stringify({ type, object })}\n`).join("")),
    inputOf("200", `${JSON.stringify({ type: "BOOKMARK", object: bookmark })}\n\n`),
    inputOf("200", `${JSON.stringify({ type: "ERROR", object: refusal })}\n`),
    inputOf("410", JSON.stringify(refusal)),
  ],
  generate: (dice) => {
    const events = Array.from({ length: 1 + dice.below(5) }, () =>
      shaken(dice, { type: dice.pick(eventTypes), object: dice.pick([object, bookmark, refusal]) }, others),
    );
    return inputOf("200", events.map((event) => `${JSON.stringify(event) ?? ""}\n`).join(dice.pick(["", "\n", "\r"])));
  },
  open: pure((input) => askMember(input, [readWatch])),
};

const statuses = "200 200 200 201 204 302 401 403 404 409 410 422 429 500 503".split(" ");
const answers = [object, list, refusal, table, token];

const members: Target = {
  seeds: [
    ...answers.map((answer) => inputOf("200", JSON.stringify(answer))),
    inputOf("200", JSON.stringify({ ...list, metadata: { resourceVersion: "7", continue: "more" } })),
    ...["403", "410", "429", "503"].map((status) => inputOf(status, JSON.stringify(refusal))),
    inputOf("403", JSON.stringify({ ...refusal, message: "Bearer secret-of-the-member" })),
    inputOf("502 html", "<html>bad gateway</html>"),
  ],
  generate: (dice) => inputOf(dice.pick(statuses), JSON.stringify(shaken(dice, dice.pick(answers), others)) ?? ""),
  open: pure((input) =>
    askMember(input, [
      (api) => api.get(settings),
      (api) => api.list(configMap),
      (api) => api.apply(object, { fieldManager: "fuzz" }),
      (api) => api.delete(settings),
      (api) => api.requestToken({ namespace: "edge", serviceAccount: "a", expirationSeconds: 600 }),
      async (api) => {
        const { text } = await api.getRaw("/version");
        if (text.includes(credential)) throw new Error("a raw answer repeats the credential");
      },
    ]),
  ),
};

/** What an API server answers: ours, a member's, or one of an attacker. */
export const memberTargets = { watch, members };
