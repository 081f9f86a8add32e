import { Pool } from "undici";
import { parse } from "yaml";
import { tlsOf } from "../contract/embedded-hub/hub-client.ts";
import { objectsAt, textAt } from "../../src/core/read-json.ts";

/** Two connections in the name of a kubeconfig's administrator. */
export function hubPool(kubeconfig: string): Pool {
  const [cluster] = objectsAt(parse(kubeconfig), "clusters");
  return new Pool(textAt(cluster, "cluster", "server") ?? "", { connections: 2, connect: tlsOf(kubeconfig) });
}
