/** The first twelve digits of a commit's id: how every message shows a commit, and how people type it. */
export function shortCommit(id: string): string {
  return id.slice(0, 12);
}
