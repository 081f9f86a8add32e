import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { AppError } from "../../core/errors.ts";
import type { WebAnswer, WebRequest, WebRoute } from "../web.ts";
import type { Access } from "./access.ts";
import { acceptsGzip, apiError, securityHeaders } from "./page-answers.ts";

interface Asset {
  readonly contentType: string;
  readonly body: Uint8Array;
  readonly compressed: Uint8Array;
  readonly etag: string;
}

/** The built files of the page, by the path they are served under. */
export type PageAssets = ReadonlyMap<string, Asset>;

const files = [
  { name: "index.html", path: "/", contentType: "text/html; charset=utf-8" },
  { name: "page.js", path: "/assets/page.js", contentType: "text/javascript; charset=utf-8" },
  { name: "page.css", path: "/assets/page.css", contentType: "text/css; charset=utf-8" },
  { name: "icon.svg", path: "/assets/icon.svg", contentType: "image/svg+xml" },
] as const;

/** Places of the page that a browser may be opened at. */
const views = ["/clusters", "/clusters/", "/repository", "/repository/", "/tokens", "/history"];

/**
 * Reads what `npm run build` made.
 * @throws E_INSTALLATION when it was not built
 */
export async function readPageAssets(folder: string): Promise<PageAssets> {
  const assets = files.map(async ({ name, path, contentType }): Promise<[string, Asset]> => {
    const body = await readFile(join(folder, name)).catch((error: unknown) => {
      throw new AppError("E_INSTALLATION", `read the page's file ${join(folder, name)}: npm run build makes it`, {
        cause: error,
        remedy: "Run `npm run build` in a checkout, or install the package again.",
      });
    });
    const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
    return [path, { contentType, body, compressed: gzipSync(body, { level: 9 }), etag }];
  });
  return new Map(await Promise.all(assets));
}

/** The page's files. They hold no data and are public: the data routes check access. A browser gets the page at any address. */
export function assetRoutes(assets: PageAssets, access: Access): WebRoute[] {
  const route = (path: string, answer: (request: WebRequest) => WebAnswer): WebRoute => ({
    method: "GET",
    path,
    answer: async (request) => {
      const admission = access.mode === "Open" ? await access.admit(request) : undefined;
      if (admission?.kind !== "refused") return answer(request);
      return { status: admission.status, headers: securityHeaders, body: `${admission.why}\n` };
    },
  });
  const index = assets.get("/");
  const notFound = apiError(404, "NotFound", "not found");
  return [
    ...[...assets.keys(), ...views].map((path) => {
      const asset = assets.get(path) ?? index;
      return route(path, (request) => (asset ? assetAnswer(asset, request) : notFound));
    }),
    route("*", (request) => (index && acceptsHtml(request) ? { ...contentOf(index, request), status: 404 } : notFound)),
  ];
}

function acceptsHtml({ headers }: WebRequest): boolean {
  return headers.accept?.includes("text/html") === true;
}

function assetAnswer(asset: Asset, request: WebRequest): WebAnswer {
  const { headers, ...content } = contentOf(asset, request);
  const known = { ...headers, "cache-control": "no-cache", etag: asset.etag };
  if (request.headers["if-none-match"] === asset.etag) return { status: 304, headers: known, body: "" };
  return { ...content, headers: known };
}

function contentOf({ contentType, body, compressed }: Asset, request: WebRequest): WebAnswer {
  const headers = { ...securityHeaders, vary: "accept-encoding" };
  if (!acceptsGzip(request)) return { contentType, headers, body };
  return { contentType, headers: { ...headers, "content-encoding": "gzip" }, body: compressed };
}
