import { AppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import { connectHub } from "../../daemon/connect-hub.ts";
import { listEvents } from "../../daemon/list-events.ts";
import { realClock } from "../../system/real-clock.ts";
import { renderValue } from "../render/object-form.ts";
import { renderEvents } from "../render/render-events.ts";
import { listOf, withoutManagers } from "../render/render-objects.ts";
import type { CommandContext, PlainContext } from "./command-context.ts";
import { explainRefusal } from "./list-objects.ts";
import { readName, readTargets } from "./read-targets.ts";

type EventsContext = PlainContext & Partial<Pick<CommandContext, "stderr">>;

/** `rollcall events [KIND/NAME]`: the Events of objects of this project, the newest last. @throws E_USAGE */
export async function runEvents({
  settings,
  args,
  environment,
  stdout,
  stderr,
  signal,
}: EventsContext): Promise<number> {
  const regarding = args.length === 0 ? undefined : readRegarding(args);
  const output = settings.text("output");
  const namespace = regarding?.namespace ?? settings.text("workspace");
  const { hubApi } = await connectHub(settings, environment);
  try {
    const place = namespace === undefined ? {} : { namespace };
    const query = { ...place, ...(regarding ? { regarding } : {}), signal };
    const events = await explainRefusal(query, () => listEvents(hubApi, query));
    if (output === "json" || output === "yaml") stdout.write(renderValue(listOf(events.map(withoutManagers)), output));
    else if (events.length === 0) stderr?.write("No Events. The hub keeps them for an hour by default.\n");
    else stdout.write(renderEvents(events, realClock.nowMs()));
    return 0;
  } finally {
    await hubApi.close();
  }
}

function readRegarding(args: readonly string[]) {
  const { kind, names } = readTargets(args);
  const [wanted, second] = names;
  if (wanted === undefined || second !== undefined) {
    throw new AppError("E_USAGE", `name one object: ${kind.plural}/NAME, or none for all`);
  }
  const named = readName(wanted);
  if (named === undefined)
    throw new AppError("E_USAGE", `${printable(wanted)} is no name: write ${kind.plural}/WORKSPACE/NAME`);
  return { kind: kind.kind, ...named };
}
