import { gitBackend } from "../../daemon/open-repository.ts";
import type { DaemonOptions } from "../../daemon/wire-run.ts";
import type { Settings } from "../../settings/settings.ts";
import { defaultCacheDir } from "../../system/cache-dir.ts";
import type { CommandContext } from "./command-context.ts";

/** The other Repository objects of the namespace, where the settings want them followed; not for a single run. */
export function furtherOf(
  settings: Settings,
  environment: CommandContext["environment"],
  onRun: NonNullable<DaemonOptions["further"]>["onRun"],
): Pick<DaemonOptions, "further"> {
  if (!settings.isOn("follow-repositories") || settings.isOn("once")) return {};
  const cacheDir = settings.text("cache-dir") ?? defaultCacheDir("repositories", environment);
  return { further: { except: settings.requiredText("repository"), cacheDir, backend: gitBackend(settings), onRun } };
}

/** The sops program that the settings name. It gets the daemon's environment: its credentials are there. */
export function sopsProgram(
  settings: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): Pick<DaemonOptions, "sopsProgram"> {
  const path = settings.text("sops-program");
  if (path === undefined) return {};
  const known = Object.entries(environment).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]));
  const env = Object.fromEntries(known) as Record<string, string>;
  return { sopsProgram: { path, env, allowedOrigins: settings.list("sops-origins") ?? [] } };
}
