import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import type { Browser } from "playwright-core";

const usualPaths = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Starts the machine's own Chromium. It is an error that there is none: these tests do not skip. */
export async function startBrowser(): Promise<Browser> {
  const executablePath = process.env["CHROMIUM"] ?? usualPaths.find((path) => existsSync(path));
  if (executablePath === undefined)
    throw new Error("no Chromium on this machine: install package chromium, or say where one is with CHROMIUM=path");
  return chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--disable-dev-shm-usage",
    ],
  });
}
