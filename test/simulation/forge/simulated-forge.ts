// The forge of the simulated repository: it answers as Gitea does, over the simulated network. What people and faults do to it
// is decided elsewhere.
import type { RepositorySpec } from "../../../src/model/generated/repository.ts";
import { answerCall } from "../../support/forge/answer-call.ts";
import type { FakePull, ForgeRoutes, ForgeState, RouteAnswer } from "../../support/forge/forge-state.ts";
import { createForgeState, forgeRepository } from "../../support/forge/forge-state.ts";
import { giteaRoutes } from "../../support/forge/gitea-routes.ts";
import type { GitRemote } from "../git-remote.ts";
import type { MemoryRequest, MemoryResponse } from "../memory-exchange.ts";
import type { Server } from "../network.ts";
import type { Fate, FaultRates } from "../network-faults.ts";
import { noFaults } from "../network-faults.ts";
import type { Scheduler } from "../scheduler.ts";

const forgeUrl = "https://forge.simulated";
/** The repository's address for git, where a forge has it. */
export const forgeGitUrl = `${forgeUrl}/${forgeRepository}.git`;
export const forgeSecretName = "forge-token";
/** Of the user whose token the daemon has. */
export const daemonUserId = 7;
/** Of the repository's own branches; forks have others. */
export const ownRepositoryId = 1;
/** A server that gives small pages, whatever is asked for. */
const mostOfPage = 3;

/** What goes wrong at the forge now. */
export interface ForgeWeather {
  rates: FaultRates;
  isAway: boolean;
  /** It takes requests, and never answers. */
  isMute: boolean;
  /** With what it answers in place of doing anything: a status, and how long to wait. */
  refusal: { readonly status: number; readonly retryAfterSeconds?: number } | undefined;
}

/** A request that the forge took in. */
export interface ForgeArrival {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export interface SimulatedForge {
  readonly server: Server;
  readonly state: ForgeState;
  readonly weather: ForgeWeather;
  readonly arrivals: readonly ForgeArrival[];
  /** The only one that is accepted. */
  token: string;
  /** The pull request that a person is merging. */
  merging: FakePull | undefined;
  fateOf(draw: (rates: FaultRates) => Fate): Fate;
  /** Changes a pull request. */
  change(number: number, changes: Partial<FakePull>): void;
}

/** What a Repository declares of it. */
export const forgeSpec: NonNullable<RepositorySpec["forge"]> = {
  provider: "Gitea",
  secretRef: { name: forgeSecretName },
};

export function createSimulatedForge(scheduler: Scheduler, remote: GitRemote): SimulatedForge {
  const state = createForgeState([]);
  const arrivals: ForgeArrival[] = [];
  const weather: ForgeWeather = { rates: noFaults, isAway: false, isMute: false, refusal: undefined };
  const server: Server = { node: scheduler.addNode("forge"), url: forgeUrl, serve: undefined };
  const answer = (request: MemoryRequest, body: string): RouteAnswer => {
    if (weather.refusal !== undefined) return refuse(weather.refusal);
    state.commits.splice(0, Infinity, ...remote.objects.commits.keys());
    followBranches(state, remote);
    const [, number] = /\/pulls\/(\d+)\/commits/u.exec(request.url) ?? [];
    if (number !== undefined) state.pullCommits = commitsOf(state, remote, Number(number));
    const call = { method: request.method, path: withSmallPages(request.url), headers: request.headers, body };
    const isAuthorized: ForgeRoutes["isAuthorized"] = (headers) => headers["authorization"] === `token ${forge.token}`;
    // A forge that repeats what it was sent.
    const unauthorized = { message: `invalid token: ${request.headers["authorization"] ?? "none"}` };
    return answerCall({ ...giteaRoutes, isAuthorized, unauthorized }, state, call, forgeUrl);
  };
  server.serve = (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => void chunks.push(chunk as Buffer));
    request.on("end", () => {
      if (weather.isMute) return;
      const given = answer(request, Buffer.concat(chunks).toString("utf8"));
      arrivals.push({ atMs: scheduler.elapsedMs, method: request.method, path: request.url, status: given.status });
      respond(response, given);
    });
  };
  const forge: SimulatedForge = {
    server,
    state,
    weather,
    arrivals,
    token: "f0rge-t0ken-0",
    merging: undefined,
    fateOf: (draw) => (weather.isAway ? { kind: "unreachable" } : draw(weather.rates)),
    change: (number, changes) => {
      state.pulls = state.pulls.map((pull) => (pull.number === number ? { ...pull, ...changes } : pull));
    },
  };
  return forge;
}

/** The head of an open pull request is that of its branch. */
export function followBranches(state: ForgeState, { refs }: Pick<GitRemote, "refs">): void {
  for (const [branch, head] of refs) state.branches.set(branch, head);
  state.pulls = state.pulls.map((pull) => {
    const isOwn = pull.isOpen && pull.headRepositoryId === ownRepositoryId;
    return isOwn ? { ...pull, headCommit: refs.get(pull.head) ?? pull.headCommit } : pull;
  });
}

/** What a pull request would bring to main, oldest first. */
function commitsOf(state: ForgeState, { objects, refs }: GitRemote, number: number): ForgeState["pullCommits"] {
  const head = state.pulls.find((pull) => pull.number === number)?.headCommit;
  const known = objects.ancestorsOf(refs.get("main"));
  const own = [...objects.ancestorsOf(head)].filter((id) => !known.has(id)).reverse();
  return own.map((id) => {
    const { message = "", author } = objects.commits.get(id)?.commit ?? {};
    return { message, email: author?.email ?? "" };
  });
}

function refuse({ status, retryAfterSeconds }: NonNullable<ForgeWeather["refusal"]>): RouteAnswer {
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { "retry-after": String(retryAfterSeconds) };
  return { status, json: { message: "simulated" }, headers };
}

function withSmallPages(path: string): string {
  return path.replace(/\blimit=\d+/u, `limit=${mostOfPage}`);
}

function respond(response: MemoryResponse, { status, json, headers = {} }: RouteAnswer): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (json !== undefined) response.setHeader("content-type", "application/json");
  response.end(json === undefined ? undefined : Buffer.from(JSON.stringify(json)));
}
