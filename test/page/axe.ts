import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** What axe finds on a page as it is, one line for each rule. The page's context must bypass its policy for scripts. */
export async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8"));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await axe.run();
    return violations.map(({ id, nodes }) => {
      const places = nodes.map(({ html }) => html).slice(0, 3);
      return `${id}: ${places.join(" ")}`;
    });
  });
}
