// Small servers that answer as GitHub, GitLab and Gitea do, as far as their published APIs say; in memory, on loopback.
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { ForgeProvider } from "../../../src/forge/forge.ts";
import { answerCall } from "./answer-call.ts";
import { commitA, commitB, createForgeState, forgeRepository } from "./forge-state.ts";
import type { ForgeCall, ForgeRoutes, ForgeState, RouteAnswer } from "./forge-state.ts";
import { giteaRoutes } from "./gitea-routes.ts";
import { gitHubRoutes } from "./github-routes.ts";
import { gitLabRoutes } from "./gitlab-routes.ts";

/** Answers a call in the server's place. */
export type Interceptor = (response: ServerResponse, call: ForgeCall) => void;

export interface ForgeServer {
  readonly provider: ForgeProvider;
  readonly origin: string;
  readonly apiUrl: string;
  readonly repositoryUrl: string;
  readonly state: ForgeState;
  readonly calls: ForgeCall[];
  /** `METHOD path` of the calls so far, without the prefix of the API. */
  lines(): string[];
  /** Asked before each call that is no GET; true when it has answered in the server's place. */
  refuseWrites: ((response: ServerResponse) => boolean) | undefined;
  /** The next calls are answered by these, one each; then by the server again. */
  intercept(...interceptors: Interceptor[]): void;
  stop(): Promise<void>;
}

const routesOf: Readonly<Record<ForgeProvider, ForgeRoutes>> = {
  GitHub: gitHubRoutes,
  GitLab: gitLabRoutes,
  Gitea: giteaRoutes,
  Forgejo: giteaRoutes,
};

export async function startForgeServer(provider: ForgeProvider): Promise<ForgeServer> {
  const routes = routesOf[provider];
  const state = createForgeState([commitA, commitB]);
  const calls: ForgeCall[] = [];
  const interceptors: Interceptor[] = [];
  let origin = "";
  const server = createServer((request, response) => {
    readBody(request).then(
      (body) => {
        const call = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
        calls.push(call);
        if (call.method !== "GET" && served.refuseWrites?.(response) === true) return;
        const interceptor = interceptors.shift();
        if (interceptor !== undefined) interceptor(response, call);
        else answerJson(response, answerCall(routes, state, call, origin));
      },
      () => response.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const served: ForgeServer = {
    provider,
    origin,
    apiUrl: `${origin}${routes.prefix}`,
    repositoryUrl: `${origin}/${forgeRepository}.git`,
    state,
    calls,
    lines: () => calls.map(({ method, path }) => `${method} ${path.replace(routes.prefix, "")}`),
    refuseWrites: undefined,
    intercept: (...added) => void interceptors.push(...added),
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return served;
}

export function answerJson(response: ServerResponse, { status, json, headers = {} }: RouteAnswer): void {
  const text = json === undefined ? "" : JSON.stringify(json);
  response.writeHead(status, {
    ...(text === "" ? {} : { "content-type": "application/json; charset=utf-8" }),
    ...headers,
  });
  response.end(text);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
