import { request } from "node:https";

/** A call as an agent made it, and its answer. */
export interface HubCall {
  readonly call: string;
  readonly status: number;
  readonly body: unknown;
}

export interface HubCallOptions {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Default: JSON. */
  readonly type?: string;
}

/** One call by HTTPS with a bearer token, as an agent of another project makes it: no client of ours is between. */
export function callHub(options: HubCallOptions): Promise<HubCall> {
  const { server, ca, token, method, path, body, type = "application/json" } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(server.replace(/\/$/u, "") + path),
      { method, ca, headers: { authorization: `Bearer ${token}`, "content-type": type } },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (piece: string) => (text += piece));
        response.on("end", () => {
          const answer: unknown = text.startsWith("{") ? JSON.parse(text) : text;
          resolve({ call: `${method} ${path}`, status: response.statusCode ?? 0, body: answer });
        });
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
