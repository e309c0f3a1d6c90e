/** Whether the page is dark, in every host that we know, and from the system where we know none. */

export function isDark(): boolean {
  const { body, documentElement } = document;
  const jupyter = body.dataset.jpThemeLight;
  if (jupyter !== undefined) return jupyter === "false";
  const code = body.classList;
  if (code.contains("vscode-light") || code.contains("vscode-high-contrast-light")) return false;
  if (code.contains("vscode-dark") || code.contains("vscode-high-contrast")) return true;
  const colab = documentElement.getAttribute("theme");
  if (colab !== null) return colab === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Keeps the class `acp-dark` of an element true to the page. Ends with the signal. */
export function followTheme(element: HTMLElement, signal: AbortSignal): void {
  const update = (): void => void element.classList.toggle("acp-dark", isDark());
  const observer = new MutationObserver(update);
  const attributes = { attributes: true, attributeFilter: ["class", "data-jp-theme-light", "theme"] };
  observer.observe(document.body, attributes);
  observer.observe(document.documentElement, attributes);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", update, { signal });
  signal.addEventListener("abort", () => observer.disconnect());
  update();
}
