import { AppError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { PlainContext } from "./command-context.ts";

/** A person at a terminal is asked; a script is not. @throws E_USAGE for any answer but yes */
export async function confirm({ settings, stdout, readLine }: PlainContext, question: string): Promise<void> {
  if (settings.isOn("yes") || stdout.isTTY !== true) return;
  stdout.write(`${printable(question)} Type yes to continue: `);
  if ((await readLine()).trim() !== "yes")
    throw new AppError("E_USAGE", "nothing was changed; without a question: --yes");
}
