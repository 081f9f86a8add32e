/** The commits since the tag before, under the area that their subjects begin with. `run` runs a program in the checkout. */
export function changelog(version, run) {
  const [before] = run("git", "tag", "--merged", "HEAD^", "--sort=-version:refname", "v*").split("\n");
  const range = before ? [`${before}..HEAD`] : ["HEAD"];
  const areas = new Map();
  for (const subject of run("git", "log", "--no-merges", "--format=%s", ...range)
    .split("\n")
    .filter(Boolean)) {
    const [, area, text] = /^([\w/-]+): (.*)$/u.exec(subject) ?? [undefined, "other", subject];
    areas.set(area, [...(areas.get(area) ?? []), `- ${text}`]);
  }
  const sections = [...areas]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([area, lines]) => `### ${area}\n\n${lines.join("\n")}`);
  return `## ${version}\n\n${sections.join("\n\n")}\n`;
}
