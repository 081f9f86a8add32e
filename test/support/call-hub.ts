import { request } from "node:https";

/** A call as an agent made it, and its answer. */
export interface HubCall {
  readonly call: string;
  readonly status: number;
  readonly body: unknown;
  /** Content type of the answer. */
  readonly type: string;
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
  /** Default: whatever the hub likes. */
  readonly accept?: string;
  /** Resolves as soon as the answer has this text: of a watch, which does not end. */
  readonly stopAt?: string;
}

/** How a call reaches a hub. */
export type SendCall = (options: HubCallOptions) => Promise<HubCall>;

/** One call by HTTPS with a bearer token, as an agent of another project makes it: no client of ours is between. */
export function callHub(options: HubCallOptions): Promise<HubCall> {
  const { server, ca, token, method, path, body, type = "application/json", accept, stopAt } = options;
  return new Promise((resolve, reject) => {
    const sent = request(
      new URL(server.replace(/\/$/u, "") + path),
      {
        method,
        ca,
        headers: {
          authorization: `Bearer ${token}`,
          "content-type": type,
          ...(accept === undefined ? {} : { accept }),
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8");
        const answered = (answer: unknown): void => {
          const type = response.headers["content-type"] ?? "";
          resolve({ call: `${method} ${path}`, status: response.statusCode ?? 0, body: answer, type });
        };
        response.on("data", (piece: string) => {
          text += piece;
          if (stopAt === undefined || !text.includes(stopAt)) return;
          answered(text);
          sent.destroy();
        });
        response.on("end", () => answered(text.startsWith("{") && stopAt === undefined ? JSON.parse(text) : text));
        response.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}
