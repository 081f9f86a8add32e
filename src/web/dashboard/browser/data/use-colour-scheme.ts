import { useEffect, useState } from "preact/hooks";

/** A number that changes when light becomes dark or dark light: what code draws is drawn again. */
export function useColourScheme(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const recordChange = (): void => setChanges((before) => before + 1);
    scheme.addEventListener("change", recordChange);
    addEventListener("themechange", recordChange);
    return () => {
      scheme.removeEventListener("change", recordChange);
      removeEventListener("themechange", recordChange);
    };
  }, []);
  return changes;
}
