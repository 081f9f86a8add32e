import { hubPool } from "../hub-pool.ts";
import type { SendText } from "./custom-values.ts";

export interface TextClient {
  readonly send: SendText;
  readonly close: () => Promise<void>;
}

/** Requests of a kubeconfig's administrator, texts in and out. */
export function textClient(kubeconfig: string): TextClient {
  const pool = hubPool(kubeconfig);
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
