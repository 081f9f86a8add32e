import { Pool } from "undici";
import { parse } from "yaml";
import { tlsOf } from "../../contract/embedded-hub/hub-client.ts";
import { objectsAt, textAt } from "../../../src/core/read-json.ts";
import type { SendText } from "./custom-values.ts";

export interface TextClient {
  readonly send: SendText;
  readonly close: () => Promise<void>;
}

/** Requests of a kubeconfig's administrator, texts in and out. */
export function textClient(kubeconfig: string): TextClient {
  const [cluster] = objectsAt(parse(kubeconfig), "clusters");
  const pool = new Pool(textAt(cluster, "cluster", "server") ?? "", { connections: 2, connect: tlsOf(kubeconfig) });
  return {
    send: async ({ method, path, contentType, accept, body }) => {
      const headers = {
        ...(contentType === undefined ? {} : { "content-type": contentType }),
        ...(accept === undefined ? {} : { accept }),
      };
      const answer = await pool.request({
        method,
        path,
        headers,
        ...(body === undefined ? {} : { body }),
      });
      return { code: answer.statusCode, text: await answer.body.text() };
    },
    close: () => pool.close(),
  };
}
