import { AppError } from "./errors.ts";

/**
 * Data has a format, a whole number that is 1 where none is given. A version of this program that changes what data means
 * counts it up, and reads all lower ones.
 * @throws E_STORE_VERSION when a newer version wrote `place`
 */
export function refuseNewer(
  place: string,
  { format, known }: { readonly format: number | string | undefined; readonly known: number },
): void {
  const found = Number(format ?? 1);
  if (Number.isSafeInteger(found) && found > known)
    throw new AppError("E_STORE_VERSION", `${place}: it has format ${found}, this program reads ${known}`);
}
