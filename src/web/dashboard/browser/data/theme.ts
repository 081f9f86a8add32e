export type Theme = "auto" | "light" | "dark";

const key = "rollcall-theme";

/** What was chosen on this page before; `auto` follows the system. */
export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(key);
    return stored === "light" || stored === "dark" ? stored : "auto";
  } catch {
    return "auto"; // storage is switched off in this browser
  }
}

export function applyTheme(theme: Theme): void {
  document.documentElement.style.colorScheme = theme === "auto" ? "light dark" : theme;
  dispatchEvent(new Event("themechange"));
  try {
    if (theme === "auto") localStorage.removeItem(key);
    else localStorage.setItem(key, theme);
  } catch {
    return; // storage is switched off: it holds until the page is left
  }
}

export function nextTheme(theme: Theme): Theme {
  return theme === "auto" ? "light" : theme === "light" ? "dark" : "auto";
}
