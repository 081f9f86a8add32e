import { cpSync, existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { defineConfig } from "vitepress";

const docs = resolve(import.meta.dirname, "../../docs");
/** Pages find the packages of this folder only when they are below it. */
const pages = resolve(import.meta.dirname, "../pages");
rmSync(pages, { recursive: true, force: true });
cpSync(docs, pages, { recursive: true });

/** Address of the files of the repository, without a slash at its end. Without it, links to source files are plain text. */
const source = process.env.ROLLCALL_SOURCE_URL?.replace(/\/$/u, "");

/** Sections of the side bar are those of docs/README.md: one index for the forge and for the site. */
const index = readFileSync(join(docs, "README.md"), "utf8");
const sections = index
  .split(/^## /mu)
  .slice(1)
  .map((section) => ({ text: section.split("\n", 1)[0], items: pagesIn(section) }));

function pagesIn(section) {
  const linked = [...section.matchAll(/\]\(([^)#\s]+)\)/gu)].map(([, target]) => target);
  const pages = [...new Set(linked)].map(pageOf).filter((page) => page !== undefined);
  return pages.map((page) => ({ ...entryOf(page), collapsed: true, items: pagesBeside(page) }));
}

function entryOf(page) {
  return { text: titleOf(page), link: `/${page.replace(/(?:README)?\.md$/u, "")}` };
}

/** The page that a link of docs/README.md leads to: the first one of a folder. Nothing outside docs/. */
function pageOf(target) {
  if (target.startsWith("..")) return undefined;
  return target.endsWith(".md") ? target : firstPageOf(target);
}

function firstPageOf(folder) {
  const pages = pagesOf(folder);
  return join(folder, pages.includes("README.md") ? "README.md" : pages[0]);
}

function pagesOf(folder) {
  return readdirSync(join(docs, folder)).filter((name) => name.endsWith(".md"));
}

/** The other pages of a folder whose first page is in the index. */
function pagesBeside(page) {
  const folder = dirname(page);
  if (folder === "." || page !== firstPageOf(folder)) return undefined;
  return pagesOf(folder)
    .map((name) => join(folder, name))
    .filter((name) => name !== page)
    .map(entryOf);
}

function titleOf(page) {
  return /^# (.+)$/mu.exec(readFileSync(join(docs, page), "utf8"))?.[1].replaceAll("`", "") ?? page;
}

/** What the pages use of the forges' Markdown, and VitePress does not have by itself. */
function likeForges(markdown) {
  linksOf(markdown);
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, at, ...rest) =>
    tokens[at].info.trim() === "mermaid"
      ? `<MermaidDiagram source="${encodeURIComponent(tokens[at].content)}" />`
      : fence(tokens, at, ...rest);
}

/** Links that leave docs/ lead to the source or become plain text; a folder of docs/ leads to its first page. */
function linksOf(markdown) {
  markdown.core.ruler.push("links-to-source", ({ tokens, env }) => {
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        leadLink(token, children, env.relativePath);
        // Braces in code are text, not an expression of the site's templates.
        if (token.type === "code_inline") token.attrSet("v-pre", "");
      }
    }
  });
}

function leadLink(token, line, page) {
  const target = token.type === "link_open" ? (token.attrGet("href") ?? "") : "";
  if (target === "" || /^(?:[a-z]+:|#|\/)/u.test(target)) return;
  const [path, anchor] = target.split("#");
  const file = relative(docs, resolve(docs, dirname(page), path));
  if (!file.startsWith("..")) return leadToFolder(token, file, anchor);
  if (source !== undefined) return token.attrSet("href", `${source}/${file.slice(3)}`);
  const end = line.find(({ type }, at) => type === "link_close" && at > line.indexOf(token));
  for (const part of [token, end]) Object.assign(part, { type: "text_of_source", tag: "span", attrs: null });
}

function leadToFolder(token, folder, anchor) {
  if (folder.endsWith(".md") || !existsSync(join(docs, folder))) return;
  token.attrSet("href", `${entryOf(firstPageOf(folder)).link}${anchor === undefined ? "" : `#${anchor}`}`);
}

/** Anchors as the forges make them, which the links of the pages use. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replace(/\s/gu, "-");

/** An error code is one word: by its parts, pages that have many of them would come before its own. */
const search = {
  provider: "local",
  options: { miniSearch: { options: { tokenize: (text) => text.split(/[^\p{L}\p{N}_]+/u) } } },
};

export default defineConfig({
  title: "Rollcall",
  description: "A fleet of Kubernetes clusters, kept as files in git",
  srcDir: pages,
  outDir: resolve(import.meta.dirname, "../dist"),
  cacheDir: resolve(import.meta.dirname, "../node_modules/.cache/vitepress"),
  rewrites: (page) => page.replace(/README\.md$/u, "index.md"),
  cleanUrls: false,
  metaChunk: true,
  markdown: { config: likeForges, anchor: { slugify }, attrs: { disable: true } },
  themeConfig: { search, sidebar: sections, outline: [2, 3], externalLinkIcon: true },
});
