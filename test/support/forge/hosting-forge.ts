import { createServer, request as forward } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { runGit } from "../git-repositories.ts";
import { startGitHttpServer } from "../git-http-server.ts";
import type { ForgeProvider } from "../../../src/forge/forge.ts";
import { startForgeServer } from "./forge-server.ts";
import type { ForgeServer } from "./forge-server.ts";
import { forgeRepository, forgeToken } from "./forge-state.ts";
import type { FakePull, ForgeState } from "./forge-state.ts";

/** A forge at one address: a repository that native git serves, and an API, which knows what was pushed. */
export interface HostingForge {
  readonly url: string;
  readonly repositoryUrl: string;
  /** For git over http: any path of the forge with this user and the forge's token. */
  readonly gitUser: string;
  readonly api: ForgeServer;
  /** Asked before each request, of git and of the API: one for which it is true gets no answer. */
  isSwallowed: () => boolean;
  stop(): Promise<void>;
}

const gitUser = "x-access-token";

/**
 * Makes an empty repository `acme/fleet.git` below `root` and serves it, with the API of a provider (default Gitea). With
 * `isThere: false` the forge serves it when the API was asked to make it.
 */
export async function startHostingForge(
  root: string,
  { provider = "Gitea", isThere = true }: { readonly provider?: ForgeProvider; readonly isThere?: boolean } = {},
): Promise<HostingForge> {
  const name = `${forgeRepository}.git`;
  await runGit(root, ["init", "--quiet", "--bare", "--initial-branch=main", name]);
  const repository = join(root, name);
  await runGit(repository, ["config", "http.receivepack", "true"]);
  const git = await startGitHttpServer({ root, auth: { username: gitUser, password: forgeToken } });
  const api = await startForgeServer(provider);
  api.state.isThere = isThere;
  const server = createServer((incoming, outgoing) => {
    if (forge.isSwallowed()) return void incoming.resume();
    const isApi = incoming.url?.startsWith("/api/") === true;
    if (!isApi && !api.state.isThere) return void outgoing.writeHead(404).end();
    // The API knows what was pushed before it is asked.
    const ready = isApi ? readPushed(repository, api.state) : Promise.resolve();
    ready.then(
      () => pass(isApi ? api.origin : git.origin, incoming, outgoing),
      () => outgoing.destroy(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const forge: HostingForge = {
    url,
    repositoryUrl: `${url}/${name}`,
    gitUser,
    api,
    isSwallowed: () => false,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await api.stop();
      await git.close();
    },
  };
  return forge;
}

/** A pull request follows its branch, and ends when its base has all of it. */
async function readPushed(repository: string, state: ForgeState): Promise<void> {
  const refs = await runGit(repository, ["for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads"]);
  state.branches.clear();
  for (const line of refs.split("\n")) {
    const [branch = "", commit = ""] = line.split(" ");
    if (commit !== "") state.branches.set(branch, commit);
  }
  const commits = (await runGit(repository, ["rev-list", "--all"])).split("\n");
  state.commits.push(...commits.filter((commit) => !state.commits.includes(commit)));
  state.pulls = await Promise.all(state.pulls.map((pull) => followBranch(repository, pull, state)));
}

async function followBranch(repository: string, pull: FakePull, { branches }: ForgeState): Promise<FakePull> {
  const headCommit = branches.get(pull.head) ?? pull.headCommit;
  const left = await runGit(repository, ["rev-list", "--count", `${pull.base}..${headCommit}`]);
  return { ...pull, headCommit, isOpen: pull.isOpen && Number(left) > 0 };
}

function pass(origin: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const passed = forward(new URL(incoming.url ?? "/", origin), { method: incoming.method, headers: incoming.headers });
  passed.on("response", (reply) => {
    outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(outgoing);
  });
  passed.on("error", () => outgoing.destroy());
  incoming.pipe(passed);
}
