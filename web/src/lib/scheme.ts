export type SchemeChoice = "light" | "dark" | "system";
const key = "manybase.scheme";
const system = matchMedia("(prefers-color-scheme: dark)");

export function schemeChoice(): SchemeChoice {
  try {
    const stored = localStorage.getItem(key);
    return stored === "light" || stored === "dark" ? stored : "system";
  } catch {
    return "system";
  }
}

function apply(): void {
  const choice = schemeChoice();
  const dark = choice === "dark" || (choice === "system" && system.matches);
  document.documentElement.dataset["scheme"] = dark ? "dark" : "light";
}

export function chooseScheme(choice: SchemeChoice): void {
  try {
    if (choice === "system") localStorage.removeItem(key);
    else localStorage.setItem(key, choice);
  } catch {
    // Storage is switched off: the choice lasts as long as the page.
    document.documentElement.dataset["scheme"] = choice === "system" ? (system.matches ? "dark" : "light") : choice;
    return;
  }
  apply();
}

/** Follows the system and other tabs. */
export function watchScheme(): void {
  system.addEventListener("change", apply);
  addEventListener("storage", (event) => event.key === key && apply());
}
