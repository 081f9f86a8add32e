import { objectAt, objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { MatrixRequest } from "./make-request.ts";
import { bodyOf } from "./make-request.ts";
import type { MatrixHub } from "./matrix-hub.ts";

const collections = new Map([
  ["configmaps", "/api/v1/namespaces/NS/configmaps"],
  ["secrets", "/api/v1/namespaces/NS/secrets"],
  ["serviceaccounts", "/api/v1/namespaces/NS/serviceaccounts"],
  ["pods", "/api/v1/namespaces/NS/pods"],
  ["deployments", "/apis/apps/v1/namespaces/NS/deployments"],
  ["widgets", "/apis/GROUP/v1/namespaces/NS/widgets"],
  ["gadgets", "/apis/GROUP/v1/gadgets"],
  ["nodes", "/api/v1/nodes"],
]);

export interface RealWrite {
  readonly request: MatrixRequest;
  /** The collection that it may change. */
  readonly collection: string;
}

/** The request as one that changes something; undefined when it is none, or could change what the matrix needs. */
export function realWriteOf(request: MatrixRequest): RealWrite | undefined {
  if (!["POST", "PUT", "PATCH", "DELETE"].includes(request.method)) return undefined;
  const [path = "", query = ""] = request.target.split("?");
  const names = path.replaceAll(/%2f/giu, "/").split("/");
  const name = [...collections.keys()].find((one) => names.includes(one));
  const collection = name === undefined ? undefined : collections.get(name);
  if (collection === undefined || names.some((one) => /^(?:bindings|scale%|\.\.)/u.test(one))) return undefined;
  const options = query.split("&").filter((option) => option !== "" && option !== "dryRun=All");
  return {
    request: { ...request, target: [path, options.join("&")].filter((part) => part !== "").join("?") },
    collection,
  };
}

/** What is in a collection: names, labels and what is asked of an object. Names that the server made are alike. */
export async function stateOf(hub: MatrixHub, collection: string): Promise<readonly string[]> {
  const { text } = await hub.send({ account: "admin", method: "GET", target: collection, readsAnswer: true });
  const own = ["default", "kube-root-ca.crt"];
  return objectsAt(JSON.parse(text), "items")
    .filter((item) => !own.includes(textAt(item, "metadata", "name") ?? ""))
    .map((item) => {
      const name = (textAt(item, "metadata", "name") ?? "").replace(/^made-.*/u, "made");
      return `${name} ${JSON.stringify(objectAt(item, "metadata", "labels") ?? {})}`;
    })
    .sort();
}

/** Creates a deleted object again, and deletes many that were made. */
export async function renew(hub: MatrixHub, collection: string, state: readonly string[]): Promise<void> {
  const send = (method: string, body?: object): Promise<unknown> =>
    hub.send({ account: "admin", method, target: collection, ...(body === undefined ? {} : { body }) });
  const isCrowded = state.length > 10;
  if (isCrowded) await send("DELETE");
  if (!isCrowded && state.some((one) => one === "alpha {}")) return;
  if (!isCrowded && state.some((one) => one.startsWith("alpha "))) {
    await hub.send({ account: "admin", method: "DELETE", target: `${collection}/alpha` });
  }
  const { body } = bodyOf("POST", collection);
  await send("POST", { ...body, metadata: { name: "alpha" } });
}
