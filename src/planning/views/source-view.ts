import { compact } from "../../core/compact.ts";
import type { SourceView } from "../../model/generated/page-api.ts";
import type { Source } from "../../model/generated/source.ts";
import type { ForgeLinks } from "./forge-links.ts";

/** Where a file declares something, with its place on the forge. */
export function sourceView(source: Source | undefined, links: ForgeLinks): SourceView | undefined {
  if (!source) return undefined;
  const { file, line = 1, commit } = source;
  return compact({ file, line, commit, link: links.file(file, { commit, line }) });
}
