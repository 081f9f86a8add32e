import { countOf } from "../../core/count-of.ts";
import { parseGoDuration } from "../../core/formats/go-duration.ts";
import { AppError } from "../../core/errors.ts";
import type { Settings } from "../../settings/settings.ts";
import { readPageAccess, readPageActions } from "../page/page-access.ts";
import { parseAddress } from "../wire-web.ts";
import type { Finding } from "./check-result.ts";

/** Reads values as the daemon does when it starts: durations, addresses, and who may see the page. @throws E_USAGE */
export function checkOptions(settings: Settings): Finding {
  for (const { option, value } of settings.entries) {
    if (option.value !== "duration" || typeof value !== "string") continue;
    const milliseconds = parseGoDuration(value);
    if (milliseconds === undefined || milliseconds < 0)
      throw new AppError("E_USAGE", `--${option.name}: ${value} is no duration such as 15m`);
  }
  const metrics = settings.text("metrics-address");
  if (metrics !== undefined) parseAddress(metrics);
  const page = settings.text("page-address");
  if (page !== undefined) {
    readPageAccess(settings, parseAddress(page, "page-address").host);
    readPageActions(settings);
  }
  const given = settings.entries.filter(({ origin }) => origin !== "default").length;
  return { message: `${countOf(given, "option")} given` };
}
