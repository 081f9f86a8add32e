import type { Readable } from "node:stream";
import { printableJson } from "../../core/printable-json.ts";
import { collectBytes } from "../../core/collect-bytes.ts";
import { AppError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { parseJson } from "../../core/parse-json.ts";
import { boundedBody } from "../../http/bounded-body.ts";
import { isLoopback, proxyOf } from "../../http/choose-proxy.ts";
import { createDispatcher } from "../../http/dispatcher.ts";
import { exchange } from "../../http/exchange.ts";
import type { ApiError, ClusterDetail, ClusterList, FleetOverview } from "../../model/generated/page-api.ts";
import type { CommandContext } from "./command-context.ts";
import { readText } from "../../system/read-text.ts";
import { pickCluster } from "./pick-cluster.ts";
import { realClock } from "../../system/real-clock.ts";
import { isColourful } from "../render/is-colourful.ts";
import { renderClusterDetail, renderFleet, renderHubObjects } from "../render/render-status.ts";
import { trimEndOf } from "../../core/trim-characters.ts";

/** A fleet of 10,000 clusters takes a tenth of it. */
const maximumAnswerBytes = 64 * 1024 ** 2;

/**
 * `rollcall status --server`: the same as from the hub, by what a daemon's page answers under /api/v1. One needs no right on
 * the hub but to list clusters.
 * @throws E_PAGE_SERVER, E_USAGE, E_KUBE_NOT_FOUND
 */
export async function statusFromServer(context: CommandContext, server: string): Promise<number> {
  const { settings, args, environment, stdout } = context;
  const isColour = isColourful(stdout, environment);
  const ask = await openPageApi(context, server);
  const isJson = settings.text("output") === "json";
  const write = (value: unknown, text: () => string): void => {
    stdout.write(isJson ? `${printableJson(value)}\n` : text());
  };
  const { items } = await ask<Partial<ClusterList>>("clusters");
  if (!Array.isArray(items) || !items.every((item) => isJsonObject(item)))
    throw new AppError("E_PAGE_SERVER", `ask ${server} for clusters: ${notThePage}`);
  const [wanted] = args;
  if (wanted === undefined) {
    const { repository, hubObjects } = await ask<FleetOverview>("fleet");
    const fleet = (): string => renderFleet(repository ? [repository] : [], items, isColour);
    write(items, () => fleet() + renderHubObjects(hubObjects?.items ?? [], hubObjects?.count));
    return 0;
  }
  const named = items.map(({ workspace, name }) => ({ metadata: { namespace: workspace, name } }));
  const { namespace, name } = pickCluster(named, wanted).metadata;
  const detail = await ask<ClusterDetail>(`clusters/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`);
  write(detail, () => renderClusterDetail(detail, { isColour, nowMs: realClock.nowMs() }));
  return 0;
}

const notThePage = "this is not the page of a daemon";

async function openPageApi(
  { settings, environment, signal }: CommandContext,
  server: string,
): Promise<<T extends object>(path: string) => Promise<T>> {
  if (!URL.canParse(server) || !/^https?:$/u.test(new URL(server).protocol))
    throw new AppError("E_USAGE", `--server is no http or https address: ${server}`);
  const { username, password, protocol, hostname } = new URL(server);
  if (username + password !== "")
    throw new AppError("E_USAGE", "--server has a user name or password, which the page does not read: leave it out");
  const base = trimEndOf(server, "/");
  const tokenFile = settings.text("server-token-file");
  if (tokenFile !== undefined && protocol === "http:" && !isLoopback(hostname))
    throw new AppError(
      "E_USAGE",
      "--server is no address of https, and the token of --server-token-file could be read on its way",
    );
  const caFile = settings.text("server-ca-file");
  const token = tokenFile === undefined ? undefined : (await readText(tokenFile)).trim();
  const ca = caFile === undefined ? undefined : await readText(caFile);
  const proxyUrl = protocol === "https:" ? proxyOf(server, environment) : undefined;
  const dispatcher = createDispatcher({ ca, errorCode: "E_USAGE", proxyUrl, headMs: 60_000, idleMs: 60_000 });
  const textOf = async (body: Readable): Promise<string> => {
    const collected = collectBytes();
    const tooLarge = () => new AppError("E_PAGE_SERVER", `ask ${base}: more than ${maximumAnswerBytes} bytes`);
    for await (const bytes of boundedBody(body, maximumAnswerBytes, tooLarge)) collected.add(bytes);
    return collected.take().toString("utf8");
  };
  return async <T extends object>(path: string): Promise<T> => {
    const url = `${base}/api/v1/${path}`;
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const sent = { dispatcher, method: "GET", headers, signal, isRepeatable: () => true } as const;
    const answer = await exchange(new URL(url), sent).catch((error: unknown) => {
      if (signal.aborted) throw error;
      throw new AppError("E_PAGE_SERVER", `ask ${base}: no answer`, { cause: error });
    });
    const text = await textOf(answer.body).catch((error: unknown) => {
      if (signal.aborted || error instanceof AppError) throw error;
      throw new AppError("E_PAGE_SERVER", `ask ${base}: no whole answer`, { cause: error });
    });
    const body = parseJson(text, { maxLength: maximumAnswerBytes });
    if (answer.statusCode !== 200 || typeof body !== "object" || body === null) {
      const reason = (body as ApiError | null | undefined)?.error ?? notThePage;
      throw new AppError("E_PAGE_SERVER", `ask ${url}: ${answer.statusCode}, ${reason}`);
    }
    return body as T;
  };
}
