const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** Milliseconds of an age as the page shows it: `45s`, `12m`, `3h5m`, `8d`, `2w`; undefined when the text is none. */
export function parseAge(text: string): number | undefined {
  let totalMs = 0;
  let amount = "";
  for (const character of text) {
    if (character >= "0" && character <= "9") {
      amount += character;
      continue;
    }
    const unit = Object.hasOwn(unitMs, character) ? unitMs[character] : undefined;
    if (unit === undefined || amount === "") return undefined;
    totalMs += Number(amount) * unit;
    amount = "";
  }
  return text === "" || amount !== "" ? undefined : totalMs;
}
