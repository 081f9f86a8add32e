import { editDocument, removeDocument } from "../manifests/edit-document.ts";
import type { HubChange } from "../model/hub-change.ts";
import type { SourceSnapshot } from "../review/read-source.ts";

/** The files that these changes of one commit come to, by path; null where a file is removed. */
export function changedFiles(
  changes: readonly HubChange[],
  { parsed }: Pick<SourceSnapshot, "parsed">,
): Map<string, string | null> {
  const files = new Map<string, string | null>();
  // In the place of a removed document, and behind it, are other ones.
  const isRemoval = ({ file }: HubChange): number => Number(file.kind === "Delete");
  for (const change of [...changes].sort((a, b) => indexOf(b) - indexOf(a) || isRemoval(a) - isRemoval(b))) {
    const { path, file } = change;
    if (file.kind === "Create") {
      if (!files.has(path)) files.set(path, file.text);
      continue;
    }
    const text = files.get(path) ?? (files.has(path) ? undefined : parsed.get(path)?.text);
    if (text === undefined) continue;
    const changed =
      file.kind === "Edit" ? editDocument(text, file.index, file.edits) : removeDocument(text, file.index);
    files.set(path, changed ?? null);
  }
  return files;
}

function indexOf({ file }: HubChange): number {
  return file.kind === "Create" ? -1 : file.index;
}
